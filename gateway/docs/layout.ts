// The frame of every page about the API.
import { type Html, html } from '../html.ts'

export function layout(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/api/docs/style.css">
</head>
<body>
<header class="top"><a class="brand" href="/api/docs">Berth</a>
<nav aria-label="Documents"><a href="/api/docs">Reference</a> <a href="/api/docs/errors">Errors</a>
<a href="/api/v1/openapi.json">OpenAPI</a></nav></header>
<main>${content}</main>
</body>
</html>`
}
