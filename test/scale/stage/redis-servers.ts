// Runs Redis servers as an operator configures them. A test may kill and freeze them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Redis, RedisOptions } from 'ioredis'
import { findRedisProgram } from '../../../local/redis/program.ts'
import { findFreePort } from '../../../local/tools/ports.ts'
import { askRedis } from '../../../shared/redis/masters.ts'
import { eventually } from '../../support/time.ts'

const HOST = '127.0.0.1'
const ANSWER_MS_MAX = 5_000
const STARTED_MS_MAX = 60_000

export type RedisProcessOptions = {
  /** The working folder, which is created at the start. */
  directory: string
  /** Lines of redis.conf, without the port. */
  settings?: string[]
  /** The line that sets the port; `port` is the port without TLS. */
  portSetting?: string
  mode?: 'server' | 'sentinel'
  /** The credentials and TLS options for the server. */
  login?: Pick<RedisOptions, 'username' | 'password' | 'tls'>
}

// Running processes, which are killed if a run fails before it can stop them.
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class RedisProcess {
  readonly host = HOST
  readonly port: number
  readonly #options: RedisProcessOptions
  #child: ChildProcess | undefined

  static async start(options: RedisProcessOptions): Promise<RedisProcess> {
    const redis = new RedisProcess(options, await findFreePort())
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    const { portSetting = 'port', settings = [] } = options
    const lines = [
      `bind ${HOST}`,
      `${portSetting} ${redis.port}`,
      `dir ${options.directory}`,
      'save ""',
      // Replicas start to copy the data immediately instead of after five seconds.
      ...(options.mode === 'sentinel' ? [] : ['repl-diskless-sync-delay 0', 'maxmemory-policy noeviction']),
      ...settings,
    ]
    writeFileSync(redis.#configFile, `${lines.join('\n')}\n`, { mode: 0o600 })
    await redis.restart()
    return redis
  }

  private constructor(options: RedisProcessOptions, port: number) {
    this.#options = options
    this.port = port
  }

  get address(): string {
    return `${HOST}:${this.port}`
  }

  ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const to = { host: HOST, port: this.port, enableReadyCheck: false, ...this.#options.login }
    return askRedis(to, ANSWER_MS_MAX, question)
  }

  /** Restarts Redis with the data that it has saved, if any. */
  async restart(): Promise<void> {
    const { command, environment } = await findRedisProgram()
    const parameters = [this.#configFile, ...(this.#options.mode === 'sentinel' ? ['--sentinel'] : [])]
    const child = spawn(command, parameters, { env: environment, stdio: 'ignore' })
    this.#child = child
    running.add(child)
    await eventually(() => this.ask((redis) => redis.ping()), STARTED_MS_MAX)
  }

  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
    running.delete(this.#child)
  }

  /** Freezes Redis: it accepts connections, but never answers. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  get #configFile(): string {
    return join(this.#options.directory, 'redis.conf')
  }
}
