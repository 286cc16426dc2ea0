// Checks that a full or missing temporary folder is reported as a fault of the machine, never of the file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { convertPicture } from '../../../workers/pictures/convert-picture.ts'
import { spoolFile } from '../../../workers/sheets/formats/spooled-file.ts'
import { refusedMessage } from '../../../workers/sheets/list-lines.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { readRefusal } from './support/read.ts'

const FOLDER_KILOBYTES = 64
const ROW_COUNT = 5_000
const USER_LIST_CSV = `email,name\n${Array.from({ length: ROW_COUNT }, (_, index) => `full${index}@example.org,Person ${index}\n`).join('')}`

describe('the temporary folder for uploaded files', () => {
  const lines: string[] = []
  const world = useWorld({ workers: ['writes', 'imports'], onLog: (line) => void lines.push(line) })
  const client = useClient(world, 'user-write')
  const given = process.env['TMPDIR']
  const undo: Array<() => void> = []

  const use = (folder: string) => {
    process.env['TMPDIR'] = folder
  }
  const useGiven = () => {
    if (given === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = given
  }
  beforeEach(() => {
    lines.length = 0
  })
  afterEach(() => {
    useGiven()
    for (const each of undo.splice(0).toReversed()) each()
  })

  /** Mounts a small folder. Returns undefined if the process may not mount file systems. */
  function mountSmallFolder(): string | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'berth-full-'))
    undo.push(() => rmSync(folder, { recursive: true, force: true }))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${FOLDER_KILOBYTES}k`, 'tmpfs', folder], {
        stdio: 'ignore',
      })
    } catch {
      return undefined
    }
    undo.push(() => execFileSync('umount', [folder]))
    return folder
  }

  const importList = () => client.import(USER_LIST_CSV, { dry_run: 'false' })
  async function expectWarningOf(folder: string) {
    await eventually(async () => {
      const warnings = lines
        .map((line) => JSON.parse(line))
        .filter(({ level, folder: named }) => named === folder && (level === 'warn' || level === 40))
      expect(warnings).to.have.length(1)
    })
  }

  it('makes an import fail with 503 while the folder is full, and is named in the log', async function () {
    const folder = mountSmallFolder()
    if (!folder) {
      console.log('      Skipped: a full folder needs the right to mount one.')
      this.skip()
    }
    use(folder)
    const refused = await importList()
    expect([refused.status, refused.json.code]).to.deep.equal([503, 'unavailable'])
    expect(refused.headers.get('Retry-After')).to.match(/^\d+$/)
    expect(await world.database('users').where('email', 'like', 'full%')).to.deep.equal([])
    await expectWarningOf(folder)
    useGiven()
    const { status, json } = await importList()
    expect([status, json.created?.length]).to.deep.equal([200, ROW_COUNT])
  })

  it('causes an error that blames the machine rather than the file if the folder is missing', async () => {
    const folder = join(tmpdir(), 'berth-is-not-there')
    use(folder)
    const error = await spoolFile(Readable.from([Buffer.from('email,name\n')])).catch((each: unknown) => each)
    expect(refusedMessage(error)).to.deep.equal({ kind: 'fault', code: 'ENOENT', folder })
  })

  it('is not blamed if the file itself is damaged', async () => {
    expect((await readRefusal(Buffer.from('PK\x03\x04damaged'))).status).to.equal(422)
  })
})

describe('when the process that reads files cannot start', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const client = useClient(world, 'user-write')
  const { execPath } = process
  afterEach(() => {
    process.execPath = execPath
  })

  it('an import gets 503, and can be repeated with the same idempotency key', async () => {
    const ask = () => {
      const form = new FormData()
      form.set('file', new Blob(['email,name\nkept@example.org,Kept\n']), 'users.csv')
      return client.ask('users/import', {
        method: 'POST',
        form,
        headers: { 'Idempotency-Key': 'not-started' },
      })
    }
    process.execPath = '/nowhere/node'
    const refused = await ask()
    expect([refused.status, refused.json.code]).to.deep.equal([503, 'unavailable'])
    process.execPath = execPath
    expect((await ask()).status).to.equal(200)
  })

  it('uploading a floor plan gets 503', async () => {
    process.execPath = '/nowhere/node'
    const refusal = await convertPicture('svg', Buffer.from('<svg/>')).catch((error: Refusal) => error)
    expect(refusal).to.include({ status: 503, code: 'unavailable' })
  })
})
