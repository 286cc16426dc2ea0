// Reads the parts of an xlsx file other than its rows: the visible sheets, the shared texts and the cell formats.
import { posix } from 'node:path'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { ZipArchive } from './archive.ts'
import { type CellFormat, findFormat } from './cell-text.ts'
import { getLocalName, readXml } from './read-xml.ts'
import { createFileRefusal, createTooLargeRefusal, ROW_CHARACTERS_MAX } from './sheet.ts'

type Workbook = {
  /** The names of the visible sheets in the file. */
  sheets: string[]
  sheetPath: string
  textsPath: string | undefined
  stylesPath: string | undefined
  is1904: boolean
}

type Relationship = { id: string; type: string; path: string }

export async function findWorkbook(archive: ZipArchive): Promise<string | undefined> {
  const relationships = await readRelationships(archive, '')
  const path = relationships.find(({ type }) => type === 'officeDocument')?.path
  return path !== undefined && archive.has(path) && (await isWorkbook(archive, path)) ? path : undefined
}

export async function readWorkbook(archive: ZipArchive, path: string, sheet = 0): Promise<Workbook> {
  const relationships = await readRelationships(archive, path)
  const visible: Array<{ id: string; name: string }> = []
  let is1904 = false
  await readXml(archive.read(path), {
    open(name, attributes) {
      const local = getLocalName(name)
      if (local === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      if (local === 'sheet' && !/hidden/i.test(attributes['state'] ?? '')) {
        visible.push({ id: findPrefixedValue(attributes, 'id') ?? '', name: attributes['name'] ?? '' })
      }
    },
  })
  const pathOf = (wanted: string) => relationships.find(({ type }) => type === wanted)?.path
  // A visible sheet without a worksheet part is a chart, so it is skipped.
  const sheets = visible.flatMap(({ id, name }) => {
    const found = relationships.find((each) => each.id === id && each.type === 'worksheet')
    return found && archive.has(found.path) ? [{ name, path: found.path }] : []
  })
  const sheetPath = sheets[sheet]?.path
  if (!sheetPath) throw createFileRefusal(message`The file has no visible sheet.`)
  const names = sheets.map(({ name }) => name)
  return {
    sheets: names,
    sheetPath,
    textsPath: pathOf('sharedStrings'),
    stylesPath: pathOf('styles'),
    is1904,
  }
}

export async function readTexts(archive: ZipArchive, path: string | undefined): Promise<TextPool> {
  const pool = createTextPool()
  if (!path) return pool
  const reader = createTextReader()
  await readXml(archive.read(path), {
    open(name) {
      const local = getLocalName(name)
      if (local === 'si') reader.start()
      reader.open(local)
    },
    close(name) {
      const local = getLocalName(name)
      reader.close(local)
      if (local === 'si') pool.add(reader.take())
    },
    text: reader.text,
  })
  return pool
}

export async function readFormats(archive: ZipArchive, path: string | undefined): Promise<CellFormat[]> {
  const codes = new Map<number, string>()
  const ids: number[] = []
  let isInCells = false
  if (!path) return []
  await readXml(archive.read(path), {
    open(name, attributes) {
      const local = getLocalName(name)
      if (local === 'numFmt') codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '')
      if (local === 'cellXfs') isInCells = true
      if (local === 'xf' && isInCells) ids.push(Number(attributes['numFmtId'] ?? 0))
    },
    close(name) {
      if (getLocalName(name) === 'cellXfs') isInCells = false
    },
  })
  return ids.map((id) => findFormat(id, codes))
}

/** Collects the text in the parts of a formatted cell, without the phonetic hints in Japanese texts. */
export function createTextReader() {
  let text = ''
  let isInText = false
  let isSpoken = false
  return {
    start() {
      text = ''
    },
    open(local: string) {
      if (local === 'rPh') isSpoken = true
      if (local === 't') isInText = !isSpoken
    },
    close(local: string) {
      if (local === 'rPh') isSpoken = false
      if (local === 't') isInText = false
    },
    text(piece: string) {
      if (!isInText) return
      text += piece
      if (text.length > ROW_CHARACTERS_MAX) {
        throw createTooLargeRefusal(
          message`A text in the file is longer than 1,000,000 characters, the maximum allowed.`,
        )
      }
    },
    take: () => unescapeText(text),
  }
}

// Decodes characters that XML cannot contain. An xlsx file writes them in the form _x000D_.
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

async function readRelationships(archive: ZipArchive, path: string): Promise<Relationship[]> {
  const folder = posix.dirname(path || '.')
  const found: Relationship[] = []
  await readXml(archive.read(posix.join(folder, '_rels', `${posix.basename(path)}.rels`)), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (getLocalName(name) !== 'Relationship') return
      const resolved = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path: resolved })
    },
  })
  return found
}

async function isWorkbook(archive: ZipArchive, path: string): Promise<boolean> {
  let root: string | undefined
  try {
    await readXml(archive.read(path), {
      open(name) {
        root ??= getLocalName(name)
      },
    })
  } catch (error) {
    // Returns false for an xlsb file, which contains no XML.
    if (root === undefined && !(error instanceof Refusal)) return false
    throw error
  }
  return root === 'workbook'
}

function findPrefixedValue(attributes: Record<string, string>, local: string): string | undefined {
  return Object.entries(attributes).find(([name]) => name.includes(':') && getLocalName(name) === local)?.[1]
}

const TEXT_POOL_BYTES_MAX = 128 * 1024 * 1024

export type TextPool = {
  add(text: string): void
  get(index: number): string | undefined
}

function createTextPool(): TextPool {
  let bytes = Buffer.allocUnsafeSlow(64 * 1024)
  let ends = new Uint32Array(1024)
  let count = 0

  function makeRoom(end: number) {
    if (end > TEXT_POOL_BYTES_MAX)
      throw createTooLargeRefusal(message`The texts in the file are larger than 128 MB, the maximum allowed.`)
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, bytes.length * 2))
      bytes.copy(larger)
      bytes = larger
    }
    if (count === ends.length) {
      const larger = new Uint32Array(count * 2)
      larger.set(ends)
      ends = larger
    }
  }

  return {
    add(text) {
      const start = count === 0 ? 0 : (ends[count - 1] ?? 0)
      const end = start + Buffer.byteLength(text)
      makeRoom(end)
      bytes.write(text, start)
      ends[count++] = end
    },
    get(index) {
      if (!(index >= 0 && index < count)) return undefined
      return bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index])
    },
  }
}
