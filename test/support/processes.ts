// Runs Berth's processes as an operator would, as child processes that a test may kill. They run from dist/, which must
// be built.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { projectDirectory } from '../../local/tools/folders.ts'
import { hooks } from './hooks.ts'
import { within } from './time.ts'

export type LogLine = { msg?: string; pid: number; [member: string]: unknown }

/** The user that runs a process; defaults to the user that runs the tests. */
export type User = { uid: number; gid: number }

export type Child = {
  pid: number
  /** The lines that the process has logged so far. */
  lines: LogLine[]
  /** Settles with the exit code or signal of the process, once all its log lines are in `lines`. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
  /** Settles with the first past or future log line that has the given message. */
  line(message: string): Promise<LogLine>
}

// The time to start a process on a busy machine.
const STARTED_MS_MAX = 60_000

const running = new Set<ChildProcess>()

/** Starts a worker process. `directory` may be a folder with another dist/ than the project's. */
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

/** Starts a process that sends webhooks and keeps the calendars of rooms in step. */
export async function startHooksProcess(
  environment: Record<string, string>,
  directory = projectDirectory,
): Promise<Child> {
  const child = startProcess([process.execPath, 'dist/workers/hooks/main.js'], environment, directory)
  await child.line('telling webhooks')
  return child
}

/** Starts the process of a Procfile line in the same way as a hosting platform. */
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

/** Returns the ids of the child processes of a process. */
export function listChildProcesses(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child as number)
}

/** Kills the processes that failed tests left running. */
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
    // Opens an IPC channel, through which the process notices when the test has ended.
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
