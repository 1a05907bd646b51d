"""Games: named, drawn, made from thresholds, transformed, enumerated, and edited."""
