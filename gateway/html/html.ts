// Builds HTML from template literals. Escapes every value that is not already HTML built here.

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The values that a template may contain. Null and false render nothing, so that `condition && html` works. */
export type Content = Html | string | number | undefined | null | false | Content[]

export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  let text = parts[0] ?? ''
  for (let index = 0; index < contents.length; index++)
    text += renderContent(contents[index]) + parts[index + 1]
  return new Html(text)
}

function renderContent(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content)
  if (content === undefined || content === null || content === false) return ''
  if (content instanceof Html) return content.text
  if (Array.isArray(content)) return content.map(renderContent).join('')
  return escapeHtml(String(content))
}

export function htmlDocument(
  head: Content,
  body: Content,
  { bodyClass, language = 'en' }: { bodyClass?: string; language?: string } = {},
): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
</head>
<body${formatAttributes({ class: bodyClass })}>
${body}
</body>
</html>`
}

/** Renders attributes, each after a space. True gives the bare name; undefined, null and false omit the attribute. */
export function formatAttributes(values: Record<string, string | number | boolean | undefined | null>): Html {
  let written = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    written += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(written)
}

const HTML_ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

function escapeHtml(text: string): string {
  // Tests first whether there is anything to escape: most texts have nothing, and a large page has tens of thousands of
  // texts.
  return /[&<>"']/.test(text)
    ? text.replace(/[&<>"']/g, (character) => HTML_ENTITIES.get(character) ?? '')
    : text
}
