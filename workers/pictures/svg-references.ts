// Finds what the elements and style rules of an SVG refer to, by id.

/** `ids` are all ids to which the value may refer. */
export type Reference = { property: string; ids: string[] }

/** The references of an attribute. */
export function findReferences(name: string, value: string): Reference[] {
  if (name === 'style') return readDeclarations(value)
  const link = /^\s*#(.+?)\s*$/.exec(value)?.[1]
  return [...(link ? [{ property: name, ids: idsOf(link) }] : []), ...readUrls(name, value)]
}

const readUrls = (property: string, value: string): Reference[] =>
  [...value.matchAll(/url\(\s*["']?\s*#([^"')\s]+)/gi)].map(([, id = '']) => ({ property, ids: idsOf(id) }))

// Browsers decode `%61`.
function idsOf(text: string): string[] {
  try {
    return [...new Set([text, decodeURIComponent(text)])]
  } catch {
    return [text]
  }
}

const readDeclarations = (css: string): Reference[] =>
  css.split(';').flatMap((declaration) => {
    const [, property = '', value = ''] = /^\s*([\w-]+)\s*:([\s\S]*)$/.exec(declaration) ?? []
    return readUrls(property.toLowerCase(), value || declaration)
  })

/**
 * The references of the rules of a style sheet, by what an element must have for a rule to apply to it: a class (`.a`), an
 * id (`#a`), a name, or nothing (`*`). Further conditions of a selector are ignored.
 */
export function readRules(css: string): Map<string, Reference[]> {
  const rules = new Map<string, Reference[]>()
  const add = (key: string, references: Reference[]) => {
    const present = rules.get(key)
    if (present) present.push(...references)
    else if (references.length > 0) rules.set(key, [...references])
  }
  // Rules may be nested. Each open rule keeps the text that comes before it in the rule around it.
  const open: Array<{ before: string; selectors: string }> = []
  let text = ''
  const close = () => {
    const rule = open.pop()
    if (!rule) return
    for (const key of keysOf(rule.selectors)) add(key, readDeclarations(text))
    text = rule.before
  }
  for (const part of css.replace(/\/\*[\s\S]*?(\*\/|$)/g, ' ').split(/([{}])/)) {
    if (part === '}') close()
    else if (part === '{') {
      const start = text.lastIndexOf(';') + 1
      open.push({ before: text.slice(0, start), selectors: text.slice(start) })
      text = ''
    } else text += part
  }
  // Browsers close what is left open.
  while (open.length > 0) close()
  add('*', readUrls('fill', text))
  return rules
}

function keysOf(selectors: string): string[] {
  const plain = selectors.replace(/::?[\w-]+(?![\w-]*\()/g, '')
  if (/[^\w\s.,#>+~*|-]/.test(plain)) return ['*']
  return plain.split(',').map((selector) => {
    // The last part of a selector describes the element itself.
    const own =
      selector
        .trim()
        .split(/[\s>+~|]+/)
        .at(-1) ?? ''
    return /\.[\w-]+/.exec(own)?.[0] ?? /#[\w-]+/.exec(own)?.[0] ?? /^[\w-]+/.exec(own)?.[0] ?? '*'
  })
}
