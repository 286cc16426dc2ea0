// Builds HTML from template literals: every value is escaped unless it is HTML of ours already.

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template may contain; null and false render nothing, so that `condition && html` works. */
export type Content = Html | string | number | undefined | null | false | Content[]

export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  let text = parts[0] ?? ''
  for (let index = 0; index < contents.length; index++) text += render(contents[index]) + parts[index + 1]
  return new Html(text)
}

function render(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content)
  if (content === undefined || content === null || content === false) return ''
  if (content instanceof Html) return content.text
  if (Array.isArray(content)) return content.map(render).join('')
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
<body${attributes({ class: bodyClass })}>
${body}
</body>
</html>`
}

/** Puts a space before each attribute. True gives the bare name; undefined, null and false omit the attribute. */
export function attributes(values: Record<string, string | number | boolean | undefined | null>): Html {
  let written = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    written += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(written)
}

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

function escapeHtml(text: string): string {
  // Most texts have nothing to escape, and a large page has tens of thousands of them.
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '') : text
}
