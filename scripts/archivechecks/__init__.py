"""Parts of scripts/archives-check."""
