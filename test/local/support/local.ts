// Helpers for the tests of local/: temporary folders, processes that hold a service, and queries to a service.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import pg from 'pg'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { sendSignal } from '../../../local/tools/processes.ts'

export type HeldService = { holder: ChildProcess; url: string; port: number; pid: number }

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'berth-local-'))
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Starts a service from a process that the test may kill. */
export async function holdService(kind: 'postgres' | 'redis', directory: string): Promise<HeldService> {
  const script = join(import.meta.dirname, `hold${extname(import.meta.filename)}`)
  const holder = spawn(process.execPath, [...process.execArgv, script, kind, directory], {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: holder.stdout })) {
    if (line.startsWith('{')) return { holder, ...(JSON.parse(line) as Omit<HeldService, 'holder'>) }
  }
  throw new Error(`The holder of ${kind} ended with ${holder.exitCode}.`)
}

export async function killHolder({ holder }: HeldService): Promise<void> {
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  await ended
}

/** Kills the watchdog that would stop a service whose starter was killed. */
export function killWatchdog({ pid }: HeldService): void {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
  const line = stdout.split('\n').find((text) => text.includes(`berth-watchdog ${pid} `))
  if (!line) throw new Error(`Process ${pid} has no guard.`)
  sendSignal(Number(line.trim().split(' ')[0]), 'SIGKILL')
}

export async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

export async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  await redis.connect()
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

/** Returns the message of the error that is thrown. */
export async function catchErrorMessage(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It was expected to fail.')
}
