// The headers of a picture that users have uploaded.

/** For an SVG that a browser opens by itself: it draws what it contains, loads nothing and runs no scripts. */
export const PICTURE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox",
}
