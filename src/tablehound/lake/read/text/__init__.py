"""In which encoding bytes are text, and what that text is."""
