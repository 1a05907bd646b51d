"""Games: named, drawn, made from thresholds, disguised, enumerated, and edited."""
