// The release after this one: a copy of what is built, with more migrations, and maybe changed in other places; and `release`
// of whichever, as a process that may be killed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectDirectory } from '../../local/tools/folders.ts'
import { copyDist, type Patch } from '../chaos/stage/dist.ts'

type NewMigration = {
  /** SQL, a statement each where they are not one transaction. */
  up: string | string[]
  transaction?: false
}

/** Returns its folder. */
export async function createNewerRelease({
  patches = [],
  migrations,
}: {
  patches?: Patch[]
  migrations: Record<string, NewMigration>
}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-newer-'))
  copyDist(folder, patches)
  for (const room of ['commands', 'local'])
    cpSync(join(projectDirectory, 'dist', room), join(folder, 'dist', room), { recursive: true })
  for (const [name, { up, transaction = true }] of Object.entries(migrations))
    writeFileSync(
      join(folder, 'dist/migrations', `${name}.js`),
      `export const config = { transaction: ${transaction} }
       export async function up(database) { for (const sql of ${JSON.stringify([up].flat())}) await database.raw(sql) }
       export const down = () => undefined`,
    )
  return folder
}

/** Runs the migrations of the release in this folder. */
export function startRelease(folder: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, ['dist/commands/migrate.js'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data
    })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const said = ended.then((end) => {
    if (end !== 0) throw new Error(`release ended (${end}): ${output}`)
    return output
  })
  said.catch(() => undefined)
  return {
    /** What it has said; fails where it did. */
    said,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
