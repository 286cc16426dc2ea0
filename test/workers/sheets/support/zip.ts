// Writes zip archives, including invalid ones, so that the repository contains no hostile archives.
import { crc32, deflateRawSync } from 'node:zlib'

export type Part = {
  name: string
  content: Buffer | string
  /** The size that the archive claims instead of the real one. */
  claimedBytes?: number
}

export function zip(parts: Part[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, claimedBytes } of parts) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes, { level: 6 })
    const fields = Buffer.alloc(22)
    fields.writeUInt16LE(8, 0)
    fields.writeUInt32LE(computeCrc(bytes), 6)
    fields.writeUInt32LE(packed.length, 10)
    fields.writeUInt32LE(claimedBytes ?? bytes.length, 14)
    fields.writeUInt16LE(name.length, 18)
    const local = Buffer.concat([Buffer.from('504b030414000000', 'hex'), fields, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('504b0102140014000000', 'hex'), fields, place, Buffer.from(name))
    bodies.push(local)
    offset += local.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, index, end])
}

const OFFICE_NAMESPACE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Returns an xlsx file with one sheet. `parts` are added, or replace parts of the same name. */
export function xlsx(rows: string, parts: Part[] = []): Buffer {
  const relationships = (...items: [string, string][]) => {
    const list = items.map(([type, target], place) => {
      return `<Relationship Id="r${place}" Type="${OFFICE_NAMESPACE}/${type}" Target="${target}"/>`
    })
    return `<Relationships>${list.join('')}</Relationships>`
  }
  const all: Part[] = [
    { name: '_rels/.rels', content: relationships(['officeDocument', 'xl/workbook.xml']) },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${OFFICE_NAMESPACE}"><sheets><sheet name="A" sheetId="1" r:id="r0"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relationships(['worksheet', '/xl/worksheets/any.xml'], ['sharedStrings', 'texts.xml']),
    },
    { name: 'xl/worksheets/any.xml', content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
  ]
  const replaced = new Set(parts.map(({ name }) => name))
  return zip([...all.filter(({ name }) => !replaced.has(name)), ...parts])
}

export function ods(tables: string): Buffer {
  const content = `<office:document-content><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`
  return zip([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', content },
  ])
}

/** Returns a row of an xlsx file with inline texts. */
export function createInlineRow(number: number, ...texts: string[]): string {
  const cells = texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`)
  return `<row r="${number}">${cells.join('')}</row>`
}

// Declares zlib.crc32, which Node 20.15 has but its types lack.
function computeCrc(bytes: Buffer): number {
  return crc32(bytes)
}
