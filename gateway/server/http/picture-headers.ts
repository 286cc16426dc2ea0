// The headers of a picture that users have uploaded.

/** Of an SVG that is opened by itself: it draws what it contains, and nothing else. */
export const PICTURE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox",
}
