// Finds the ids to which the elements and style rules of an SVG refer.

/** A reference in a property. `ids` contains all ids to which its value may refer. */
export type Reference = { property: string; ids: string[] }

/** Returns the references in an attribute of an SVG element. */
export function findReferences(name: string, value: string): Reference[] {
  if (name === 'style') return readDeclarations(value)
  const link = /^\s*#(.+?)\s*$/.exec(value)?.[1]
  return [...(link ? [{ property: name, ids: findIds(link) }] : []), ...readUrls(name, value)]
}

const readUrls = (property: string, value: string): Reference[] =>
  [...value.matchAll(/url\(\s*["']?\s*#([^"')\s]+)/gi)].map(([, id = '']) => ({ property, ids: findIds(id) }))

// Finds the ids in a text. Decodes escapes such as `%61`, as browsers do.
function findIds(text: string): string[] {
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
 * Returns the references in the rules of a style sheet. The keys are what an element must have for a rule to apply: a
 * class (`.a`), an id (`#a`), a name, or nothing (`*`). Ignores all further conditions in selectors.
 */
export function readRules(css: string): Map<string, Reference[]> {
  const rules = new Map<string, Reference[]>()
  const add = (key: string, references: Reference[]) => {
    const present = rules.get(key)
    if (present) present.push(...references)
    else if (references.length > 0) rules.set(key, [...references])
  }
  // Rules may be nested. For each open rule, this list stores the text before the rule in the surrounding one.
  const open: Array<{ before: string; selectors: string }> = []
  let text = ''
  const close = () => {
    const rule = open.pop()
    if (!rule) return
    for (const key of parseSelectorKeys(rule.selectors)) add(key, readDeclarations(text))
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
  // Closes the rules that are still open at the end of the style sheet, as browsers do.
  while (open.length > 0) close()
  add('*', readUrls('fill', text))
  return rules
}

function parseSelectorKeys(selectors: string): string[] {
  const plain = selectors.replace(/::?[\w-]+(?![\w-]*\()/g, '')
  if (/[^\w\s.,#>+~*|-]/.test(plain)) return ['*']
  return plain.split(',').map((selector) => {
    // Only the last part of a selector describes the element itself.
    const own =
      selector
        .trim()
        .split(/[\s>+~|]+/)
        .at(-1) ?? ''
    return /\.[\w-]+/.exec(own)?.[0] ?? /#[\w-]+/.exec(own)?.[0] ?? /^[\w-]+/.exec(own)?.[0] ?? '*'
  })
}
