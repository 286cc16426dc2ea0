// Parses XML strictly: anything that is not well-formed throws.
import { createRequire } from 'node:module'

type Tag = { name: string; attributes: Record<string, string> }
type Parser = {
  on(event: 'opentag', handler: (tag: Tag) => void): void
  on(event: 'closetag' | 'end', handler: () => void): void
  on(event: 'text', handler: (text: string) => void): void
  on(event: 'error', handler: (error: Error) => void): void
  write(text: string): Parser
  close(): void
}

export type Element = Tag & { text: string; children: Element[] }

// Loads the parser that exceljs depends on, to avoid a dependency of our own.
const requireFromExcelJs = createRequire(createRequire(import.meta.url).resolve('exceljs'))
const { SaxesParser } = requireFromExcelJs('saxes') as { SaxesParser: new () => Parser }

export function parseXml(text: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, text: '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (part) => {
    const element = open.at(-1)
    if (element) element.text += part
  })
  parser.on('closetag', () => void open.pop())
  parser.write(text).close()
  const [element] = root.children
  if (!element) throw new Error('There is no element')
  return element
}

/** Returns all elements that match a condition, within an element and including that element. */
export function findAll(element: Element, matches: (element: Element) => boolean): Element[] {
  return [
    ...(matches(element) ? [element] : []),
    ...element.children.flatMap((child) => findAll(child, matches)),
  ]
}
