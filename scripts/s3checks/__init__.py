"""Parts of scripts/s3-check."""
