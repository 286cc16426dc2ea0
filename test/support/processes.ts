// Berth's own processes, as an operator runs them: children that a test may kill. They are those of dist/, so they
// must have been built.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { projectDirectory } from '../../local/tools/folders.ts'
import { hooks } from './hooks.ts'
import { within } from './time.ts'

export type LogLine = { msg?: string; pid: number; [member: string]: unknown }

/** As whom a process runs; as whoever runs the tests where nobody is named. */
export type User = { uid: number; gid: number }

export type Child = {
  pid: number
  /** What it has logged so far. */
  lines: LogLine[]
  /** Settles with the exit code, or the name of the signal that ended it, when all that it has logged is in `lines`. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
  /** The first line that is so, whether it has come already or not. */
  line(message: string): Promise<LogLine>
}

// On a machine that is busy with many of them.
const STARTED_MS_MAX = 60_000

const running = new Set<ChildProcess>()

/** `directory` is the folder of another dist/ than the project's own. */
export async function startWorkerProcess(
  environment: Record<string, string>,
  queues: string[] = ['writes'],
  directory = projectDirectory,
): Promise<Child> {
  const child = startProcess([process.execPath, 'dist/workers/main.js', ...queues], environment, directory)
  await child.line('working')
  return child
}

export async function startGatewayProcess(
  environment: Record<string, string>,
  directory = projectDirectory,
): Promise<Child & { url: string }> {
  const all = { PORT: '0', HOST: '127.0.0.1', LAME_DUCK_MS: '0', ...environment }
  const child = startProcess([process.execPath, 'dist/gateway/main.js'], all, directory)
  const { port } = await child.line('listening')
  return { ...child, url: `http://127.0.0.1:${port}` }
}

/** A line of the Procfile, as hosting platforms run it. */
export function startLine(
  command: string,
  environment: Record<string, string>,
  directory: string,
  user?: User,
): Child {
  return startProcess(
    ['/bin/sh', '-c', command],
    { HOST: '127.0.0.1', LAME_DUCK_MS: '0', ...environment },
    directory,
    user,
  )
}

/** The ids of the processes that this one has started. */
export function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child as number)
}

/** What tests that failed half-way left running. */
export async function killChildren() {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL')
      return once(child, 'close')
    }),
  )
}

hooks.afterFile.children = killChildren

function startProcess(
  [program = '', ...parameters]: string[],
  environment: Record<string, string>,
  directory: string,
  user?: User,
): Child {
  const child = spawn(program, parameters, {
    ...user,
    cwd: directory,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'info', ...environment },
    // Through the channel it learns when the test has gone.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  running.add(child)
  const lines: LogLine[] = []
  const listeners = new Set<() => void>()
  createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', (text) => {
    if (process.env.TEST_LOG_LEVEL) console.log(text)
    lines.push(JSON.parse(text) as LogLine)
    for (const listener of listeners) listener()
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | string
  })

  return {
    pid: child.pid as number,
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    line(message) {
      const found = new Promise<LogLine>((resolve, reject) => {
        const look = () => {
          const line = lines.find(({ msg }) => msg === message)
          if (line) resolve(line)
        }
        listeners.add(look)
        look()
        ended.then((end) =>
          reject(
            new Error(
              `${parameters.join(' ')} ended (${end}) and never said “${message}”: ${JSON.stringify(lines)}`,
            ),
          ),
        )
      })
      return within(STARTED_MS_MAX, found)
    },
  }
}
