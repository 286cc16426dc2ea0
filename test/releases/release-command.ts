// Runs the migrations of a release as a process that a test may kill.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

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
    /** The output of the process. Rejects if the process failed. */
    said,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
