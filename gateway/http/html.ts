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
  return new Html(parts.map((part, index) => part + render(contents[index])).join(''))
}

function render(content: Content): string {
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

/** With a space before each: true gives the bare name; undefined, null and false omit the attribute. */
export function attributes(values: Record<string, string | number | boolean | undefined | null>): Html {
  const written = Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === null || value === false) return ''
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  })
  return new Html(written.join(''))
}

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '')
}
