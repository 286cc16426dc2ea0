// A full or missing temporary folder is a fault of the machine, never of the file that is read.
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
import { refusalOf } from './support/read.ts'

const KILOBYTES = 64
const ROWS = 5_000
const LIST = `email,name\n${Array.from({ length: ROWS }, (_, index) => `full${index}@example.org,Person ${index}\n`).join('')}`

describe('a temporary folder', () => {
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

  /** Undefined if this process may not mount file systems. */
  function mountSmallFolder(): string | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'berth-full-'))
    undo.push(() => rmSync(folder, { recursive: true, force: true }))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${KILOBYTES}k`, 'tmpfs', folder], { stdio: 'ignore' })
    } catch {
      return undefined
    }
    undo.push(() => execFileSync('umount', [folder]))
    return folder
  }

  const importList = () => client.import(LIST, { dry_run: 'false' })
  async function expectWarningOf(folder: string) {
    await eventually(async () => {
      const warnings = lines
        .map((line) => JSON.parse(line))
        .filter(({ level, folder: named }) => named === folder && (level === 'warn' || level === 40))
      expect(warnings).to.have.length(1)
    })
  }

  it('that is full makes an import answer 503 and logs its name, and the import works once there is room', async function () {
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
    expect([status, json.created?.length]).to.deep.equal([200, ROWS])
  })

  it('that is missing is reported as a fault of the machine, and not of the file', async () => {
    const folder = join(tmpdir(), 'berth-is-not-there')
    use(folder)
    const error = await spoolFile(Readable.from([Buffer.from('email,name\n')])).catch((each: unknown) => each)
    expect(refusedMessage(error)).to.deep.equal({ kind: 'fault', code: 'ENOENT', folder })
  })

  it('is not blamed for a damaged file', async () => {
    expect((await refusalOf(Buffer.from('PK\x03\x04damaged'))).status).to.equal(422)
  })
})

describe('a process that reads a file', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const client = useClient(world, 'user-write')
  const { execPath } = process
  afterEach(() => {
    process.execPath = execPath
  })

  it('that cannot be started makes an import answer 503, and a repeat with the same key runs again', async () => {
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

  it('that cannot be started makes a floor plan answer 503', async () => {
    process.execPath = '/nowhere/node'
    const refusal = await convertPicture('image/svg+xml', Buffer.from('<svg/>')).catch(
      (error: Refusal) => error,
    )
    expect(refusal).to.include({ status: 503, code: 'unavailable' })
  })
})
