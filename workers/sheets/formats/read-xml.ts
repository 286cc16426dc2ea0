// Reads XML in chunks. Never expands or fetches anything: an XML file with a DOCTYPE is refused before any entity.
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { message } from '../../../shared/messages/message.ts'
import { createFileRefusal, createTooLargeRefusal } from './sheet.ts'

export type Attributes = Record<string, string>

type XmlVisitor = {
  open(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

const DEPTH_MAX = 256

/** Yields after each chunk, so that the caller can take what the visitor has collected. */
export async function* visitXml(source: AsyncIterable<Buffer>, visitor: XmlVisitor): AsyncGenerator<void> {
  const parser = createParser(visitor)
  let decoder: TextDecoder | undefined
  for await (const chunk of source) {
    decoder ??= new TextDecoder(detectEncoding(chunk), { fatal: true })
    parser.write(decoder.decode(chunk, { stream: true }))
    yield
  }
  // If there were no chunks, the archive does not contain the part, so there is no document. If the document ends too
  // early, `close` throws.
  if (!decoder) return
  parser.close()
  yield
}

export async function readXml(source: AsyncIterable<Buffer>, visitor: XmlVisitor): Promise<void> {
  for await (const _ of visitXml(source, visitor));
}

/** Returns the name of an element without its prefix, which each program chooses freely. */
export function getLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function createParser(visitor: XmlVisitor) {
  const parser = new SaxesParser({ position: false, xmlns: false })
  let depth = 0
  parser.on('doctype', () => {
    throw createFileRefusal(
      message`The file contains a document type (DOCTYPE), which spreadsheets do not need.`,
    )
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > DEPTH_MAX)
      throw createTooLargeRefusal(message`The file is nested more than 256 levels deep, the maximum allowed.`)
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

function detectEncoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}
