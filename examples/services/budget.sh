#!/bin/sh
# A *wrong* budget in shell: every spend is compared with the whole budget, and nothing is added up.
# It has one budget at a time, so "open" is answered without an id.
#
#   filterproof audit --command "sh budget.sh" --spend "spend(epsilon)" --open "(epsilon)"   VIOLATED
while IFS= read -r line; do
    epsilon=$(printf '%s' "$line" | sed 's/.*"epsilon": \([-+0-9.e]*\).*/\1/')
    case $line in
    *'"call": "open"'*) total=$epsilon; echo '{}' ;;
    *) awk -v asked="$epsilon" -v total="$total" \
        'BEGIN { print asked <= total ? "{\"granted\": true}" : "{\"granted\": false}" }' ;;
    esac
done
