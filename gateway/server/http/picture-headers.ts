// The headers of a picture that users have uploaded.

/** Prevents an SVG that is opened directly in a browser from loading anything and from running scripts. */
export const PICTURE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox",
}
