// Reads XML as strictly as it is meant: whatever is not well-formed throws.
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

// exceljs reads its sheets with it, so that it is here already; it has no need to be a dependency of ours.
const fromExcel = createRequire(createRequire(import.meta.url).resolve('exceljs'))
const { SaxesParser } = fromExcel('saxes') as { SaxesParser: new () => Parser }

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

/** The element and everything in it for which the condition holds. */
export function findAll(element: Element, matches: (element: Element) => boolean): Element[] {
  return [
    ...(matches(element) ? [element] : []),
    ...element.children.flatMap((child) => findAll(child, matches)),
  ]
}
