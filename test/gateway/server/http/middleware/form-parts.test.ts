// Tests the multipart form of an import: unexpected fields and files are skipped, and the error names the
// part that is too large.
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { eventually } from '../../../../support/time.ts'
import { countFiles } from '../../../../support/user-lists.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const FILE_BYTES_MAX = 256 * 1024
const BOUNDARY = 'a-boundary'
const USER_LIST_CSV = 'email,name\nann@forms.example,Ann\n'

type Part = { head: string; body: string }

const createPart = (disposition: string, body: string, ...headers: string[]): Part => ({
  head: [`Content-Disposition: form-data; ${disposition}`, ...headers].join('\r\n'),
  body,
})
const file = (body = USER_LIST_CSV, name = 'file', filename = 'users.csv') =>
  createPart(`name="${name}"; filename="${filename}"`, body, 'Content-Type: text/csv')
const field = (name: string, value: string, ...headers: string[]) =>
  createPart(`name="${name}"`, value, ...headers)

function formatForm(parts: Part[]): string {
  const each = parts.map(({ head, body }) => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n`)
  return `${each.join('')}--${BOUNDARY}--\r\n`
}

describe('the multipart form of an import', () => {
  const world = useWorld({
    workers: ['imports'],
    environment: { FILE_BYTES_MAX: String(FILE_BYTES_MAX) },
  })
  const client = useClient(world, 'user-write')

  const send = (parts: Part[], headers: Record<string, string> = {}, raw?: Uint8Array) =>
    client.ask('users/import', {
      method: 'POST',
      raw: raw ?? formatForm(parts),
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    })
  const dryRun = field('dry_run', 'true')
  const large = 'x'.repeat(FILE_BYTES_MAX + 1)
  const expectNothingKept = () =>
    eventually(async () => expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }))

  for (const [title, parts] of [
    ['another file before its own', [file('another', 'other', 'other.csv'), file(), dryRun]],
    ['another file after its own', [file(), dryRun, file('another', 'other')]],
    ['unknown fields, however long', [field('csrf', 'x'.repeat(100_000)), file(), dryRun]],
    ['many unknown fields', [...Array.from({ length: 500 }, (_, n) => field(`f${n}`, 'x')), file(), dryRun]],
    ['a text field with the name of its file field', [field('file', 'a text'), file(), dryRun]],
    ['a content type for a text field', [field('dry_run', 'true', 'Content-Type: text/plain'), file()]],
  ] as Array<[string, Part[]]>) {
    it(`may contain ${title}`, async () => {
      const answer = await send(parts)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json).to.deep.include({ dryRun: true, created: [2], filename: 'users.csv' })
      await expectNothingKept()
    })
  }

  for (const [title, parts, status, sentence] of [
    ['two files', [file(), file(), dryRun], 422, 'file must be a single file.'],
    [
      'its file as a text field',
      [field('file', USER_LIST_CSV), dryRun],
      422,
      'file must be a file with a filename.',
    ],
    ['no file', [dryRun], 422, 'file is required.'],
    ['a file that is too large', [file(large)], 413, 'The file is larger than 256 KiB.'],
    [
      'an option that is too long',
      [field('dry_run', 'x'.repeat(64 * 1024 + 1)), file()],
      413,
      'The fields of the form are larger than 64 KiB.',
    ],
    [
      'too many bytes in unexpected parts',
      [field('other', large), file()],
      413,
      'The form’s content, apart from its file and fields, is larger than 256 KiB.',
    ],
    [
      'too many parts',
      [...Array.from({ length: 1_001 }, (_, n) => field(`f${n}`, 'x')), file()],
      413,
      'The form has more than 1000 parts.',
    ],
  ] as Array<[string, Part[], number, string]>) {
    it(`must not contain ${title}, and the error says so`, async () => {
      const answer = await send(parts)
      expect([answer.status, answer.json.detail]).to.deep.equal([status, sentence])
      await expectNothingKept()
    })
  }

  it('must not be compressed, and the error says so', async () => {
    const raw = gzipSync(formatForm([file(), dryRun]))
    const answer = await send([], { 'Content-Encoding': 'gzip' }, raw)
    expect([answer.status, answer.json.code]).to.deep.equal([415, 'unsupported_media_type'])
    expect(answer.json.detail).to.include('Content-Encoding')
  })

  it('provides the file name without its folders', async () => {
    for (const filename of ['/home/ann/users.csv', '../../users.csv', 'C:\\Users\\Ann\\users.csv'])
      expect((await send([file(USER_LIST_CSV, 'file', filename), dryRun])).json.filename).to.equal(
        'users.csv',
      )
  })
})
