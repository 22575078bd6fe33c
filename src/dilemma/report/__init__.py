"""Results as pictures and pages: `series` (result to arrays), `figures` (matplotlib), `page` (one HTML file)."""
