"""The pictures of the pages: what draws them, and the surveys behind them."""
