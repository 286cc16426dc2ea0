// Reads XML piece by piece. Never expands or fetches anything: it refuses a DOCTYPE before any entity.
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { message } from '../../../shared/messages/message.ts'
import { refuseFile, tooLarge } from './sheet.ts'

export type Attributes = Record<string, string>

type XmlVisitor = {
  open(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

const DEPTH_MAX = 256

/** Yields after each piece, so that the caller can take what the visitor has collected. */
export async function* visitXml(source: AsyncIterable<Buffer>, visitor: XmlVisitor): AsyncGenerator<void> {
  const parser = createParser(visitor)
  let decoder: TextDecoder | undefined
  for await (const chunk of source) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true })
    parser.write(decoder.decode(chunk, { stream: true }))
    yield
  }
  // Without a part there is no document. A document that ends too early throws here.
  if (!decoder) return
  parser.close()
  yield
}

export async function readXml(source: AsyncIterable<Buffer>, visitor: XmlVisitor): Promise<void> {
  for await (const _ of visitXml(source, visitor));
}

/** The name without its prefix, which each program chooses freely. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function createParser(visitor: XmlVisitor) {
  const parser = new SaxesParser({ position: false, xmlns: false })
  let depth = 0
  parser.on('doctype', () => {
    throw refuseFile(message`The file contains a document type (DOCTYPE), which spreadsheets do not need.`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > DEPTH_MAX)
      throw tooLarge(message`The file is nested more than 256 levels deep, which is the limit.`)
    visitor.open(name, attributes)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    visitor.close?.(name)
  })
  if (visitor.text) {
    parser.on('text', (text) => visitor.text?.(text))
    parser.on('cdata', (text) => visitor.text?.(text))
  }
  return parser
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}
