#!/bin/sh
# A *wrong* privacy filter in shell: it allows three requests, whatever they reveal.
#
#   filterproof audit --command "sh examples/filter.sh"
#
# Every question has "id" first and "call" second; the state is our own counter.
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed 's/^{"id": \([0-9]*\),.*/\1/')
    case $line in
    *'"call": "hello"'*) reply='"protocol": "filterproof.command", "version": 1' ;;
    *'"call": "start"'*) reply='"state": "0"' ;;
    *)
        state=$(printf '%s' "$line" | sed 's/.*"state": "\([0-9]*\)".*/\1/')
        decision=continue
        [ "$state" -gt 3 ] && decision=halt # the opening round counts too
        reply="\"decision\": \"$decision\", \"state\": \"$((state + 1))\""
        ;;
    esac
    printf '{"id": %s, %s}\n' "$id" "$reply"
done
