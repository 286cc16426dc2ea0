// The frame of every page about the API.
import { type Html, html } from '../http/html.ts'

/** `root` is the path below which the service is reached, where PUBLIC_URL has one. */
export type Frame = { title: string; root: string }

export function layout({ title, root }: Frame, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${root}/api/docs/style.css">
</head>
<body>
<header class="top"><a class="brand" href="${root}/api/docs">Berth</a>
<nav aria-label="Documents"><a href="${root}/api/docs">Reference</a> <a href="${root}/api/docs/errors">Errors</a>
<a href="${root}/api/v1/openapi.json">OpenAPI</a></nav></header>
${content}
</body>
</html>`
}
