// Corrupts an import file by its structure: the bytes, the XML in an archive, or the text of a csv.
import { inflateRawSync } from 'node:zlib'
import type { Random } from '../../harness/random.ts'
import { type Part, zip } from '../../workers/sheets/support/zip.ts'
import { mutateBytes } from './mutate-bytes.ts'
import type { ImportFile } from './samples.ts'

const BYTES_MAX = 2_000_000

const CSV_PIECES = [
  '"',
  '""',
  '"\n',
  ',',
  ';',
  '\t',
  '\r',
  '\n',
  '\0',
  '\ufeff',
  'x'.repeat(20_000),
  ','.repeat(17_000),
  '\xff',
]
const XML_PIECES = [
  '<',
  '>',
  '&',
  '&amp;',
  '&#0;',
  '&#x110000;',
  '&x;',
  '<!DOCTYPE a [<!ENTITY x "y">]>',
  '<?xml version="1.0"?>',
  ']]>',
  '<a>',
  '<!--',
  '<![CDATA[',
  '</row>',
  '</table:table>',
  '<table:table>',
  'xmlns:a=""',
  '\0',
  '\ud800',
  '😀',
  '<t>',
  'x'.repeat(70_000),
]
const XML_NUMBERS = [
  '0',
  '-1',
  '1048576',
  '1048577',
  '16385',
  '2147483648',
  '999999999999',
  '1e9',
  'NaN',
  '',
  'ZZZZ9',
  '1.5',
  'x',
]

export function mutateFile({ bytes }: ImportFile, random: Random): Buffer {
  const isZip = bytes.subarray(0, 2).toString('latin1') === 'PK'
  const isCompound = bytes.subarray(0, 4).toString('hex') === 'd0cf11e0'
  if (isZip && random.chance(0.8)) return mutateArchive(bytes, random)
  if (!isZip && !isCompound && random.chance(0.7)) return mutateText(bytes, random)
  return mutateBytes(bytes, random)
}

function mutateText(bytes: Buffer, random: Random): Buffer {
  let text = bytes.toString('latin1')
  for (let times = 1 + random.below(3); times > 0; times--)
    text = insertPiece(text, random, random.pick(CSV_PIECES))
  return Buffer.from(text, 'latin1')
}

/** Unpacks, corrupts and repacks a part, so that the archive itself stays valid. */
function mutateArchive(bytes: Buffer, random: Random): Buffer {
  const parts = readIntactParts(bytes)
  if (parts.length === 0) return mutateBytes(bytes, random)
  // The parts that contain most of the rows are chosen most often.
  const sheets = parts.filter(({ name }) => /sheet1|content\.xml|sharedStrings|workbook/.test(name))
  const part = random.pick(sheets.length > 0 && random.chance(0.8) ? sheets : parts)
  const change = random.pickKey({ xml: 10, bytes: 2, name: 1, remove: 1, twice: 0.5, claim: 1 })
  if (change === 'xml') part.content = mutateXml(String(part.content), random)
  if (change === 'bytes') part.content = mutateBytes(Buffer.from(part.content), random)
  if (change === 'name')
    part.name = random.pick(['', '../x', '/etc/passwd', 'xl/workbook.xml', 'a\0b', 'x'.repeat(300)])
  if (change === 'remove') parts.splice(parts.indexOf(part), 1)
  if (change === 'twice') parts.push({ ...part })
  if (change === 'claim') part.claimedBytes = random.pick([0, 1, 0x7fffffff, 0xffffffff])
  return zip(parts)
}

function mutateXml(xml: string, random: Random): string {
  let spoiled = xml
  for (let times = 1 + random.below(2); times > 0; times--) {
    const change = random.pickKey({ number: 4, piece: 3, remove: 2, repeat: 2 })
    if (change === 'piece') spoiled = insertPiece(spoiled, random, random.pick(XML_PIECES))
    if (change === 'number')
      spoiled = replaceOne(spoiled, /"[A-Z]*\d+"/g, random, () => `"${random.pick(XML_NUMBERS)}"`)
    if (change === 'remove') spoiled = replaceOne(spoiled, /<[^>]*>/g, random, () => '')
    if (change === 'repeat') {
      const times = random.pick([2, 2, 50, 5_000])
      spoiled = replaceOne(spoiled, /<[^>]*>[^<]*/g, random, (tag) =>
        tag.repeat(Math.min(times, Math.ceil(BYTES_MAX / tag.length))),
      )
    }
  }
  return spoiled
}

function replaceOne(
  text: string,
  pattern: RegExp,
  random: Random,
  change: (found: string) => string,
): string {
  const found = [...text.matchAll(pattern)]
  if (found.length === 0) return text
  const { index, 0: match } = random.pick(found)
  return text.slice(0, index) + change(match) + text.slice(index + match.length)
}

function insertPiece(text: string, random: Random, piece: string): string {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + piece + text.slice(at)
}

const ZIP_END_SIGNATURE = 'PK\x05\x06'

/** Reads the parts of an archive. Returns none if an earlier mutation of the same request has corrupted the archive. */
function readIntactParts(bytes: Buffer): Part[] {
  try {
    return readParts(bytes)
  } catch {
    return []
  }
}

/** Reads the parts of an archive by its directory. */
function readParts(bytes: Buffer): Part[] {
  const end = bytes.lastIndexOf(ZIP_END_SIGNATURE, undefined, 'latin1')
  if (end < 0) return []
  const parts: Part[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(at + 28)
    const offset = bytes.readUInt32LE(at + 42)
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
    const isPacked = bytes.readUInt16LE(at + 10) === 8
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    parts.push({ name, content: isPacked ? inflateRawSync(packed) : Buffer.from(packed) })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return parts.filter(({ name }) => !name.endsWith('/'))
}
