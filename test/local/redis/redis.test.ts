// Tests the Redis of `npm start`, and how it is downloaded on a machine without Redis.

import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { canFetchRedis, findRedisProgram } from '../../../local/redis/program.ts'
import { startRedis } from '../../../local/redis/redis.ts'
import { isAlive, waitForEnd } from '../../../local/tools/processes.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { promised } from '../../support/time.ts'
import {
  catchErrorMessage,
  holdService,
  killHolder,
  killWatchdog,
  makeFolder,
  removeFolder,
  withRedis,
} from '../support/local.ts'

describe('local Redis', function () {
  this.timeout(120_000)
  let folder: string
  let directory: string
  let server: Server | undefined

  const start = async (port?: number) => {
    server = await startRedis({ directory, ...(port ? { port } : {}) })
    return server
  }

  before(() => {
    folder = makeFolder()
    directory = join(folder, 'redis')
  })

  afterEach(async () => server?.stop())
  after(() => removeFolder(folder))

  it('keeps its data after a restart', async () => {
    const first = await start()
    await withRedis(first.url, (redis) => redis.set('word', 'kept'))
    await first.stop()
    expect(isAlive(first.pid)).to.equal(false)
    const second = await start()
    expect(await withRedis(second.url, (redis) => redis.get('word'))).to.equal('kept')
  })

  it('never evicts keys, and listens only on the loopback interface', async () => {
    const { url } = await start()
    const answer = await withRedis(url, (redis) =>
      redis.config('GET', 'maxmemory-policy', 'bind', 'appendonly'),
    )
    const settings = answer as string[]
    expect(settings).to.include.members(['noeviction', '127.0.0.1', 'yes'])
  })

  it('restarts on the same port after it was killed', async () => {
    const first = await start()
    await withRedis(first.url, (redis) => redis.set('word', 'killed'))
    first.kill('SIGKILL')
    const second = await start(first.port)
    expect(await withRedis(second.url, (redis) => redis.get('word'))).to.equal('killed')
  })

  it('stops by itself when the process that started it is killed', async () => {
    const held = await holdService('redis', directory)
    await killHolder(held)
    expect(await waitForEnd(held.pid, promised(5_000))).to.equal(true)
  })

  it('replaces a Redis process that an earlier start left running', async () => {
    const held = await holdService('redis', directory)
    killWatchdog(held)
    await withRedis(held.url, (redis) => redis.set('word', 'orphaned'))
    await killHolder(held)
    expect(isAlive(held.pid)).to.equal(true)
    const { url } = await start()
    expect(isAlive(held.pid)).to.equal(false)
    expect(await withRedis(url, (redis) => redis.get('word'))).to.equal('orphaned')
  })
})

describe('npm start when it looks for a Redis program', function () {
  this.timeout(120_000)
  const path = process.env['PATH'] ?? ''
  let folder: string
  let cache: string

  beforeEach(() => {
    folder = makeFolder()
    cache = join(folder, 'cache')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    linkPrograms(bin, path)
    process.env['PATH'] = bin
  })

  afterEach(() => {
    process.env['PATH'] = path
    removeFolder(folder)
  })

  it('downloads Redis once if none is installed, even for two simultaneous processes, and reuses it', async function () {
    if (!canFetchRedis()) {
      console.warn('      NOT TESTED: there is no apt-get here to fetch Redis with.')
      return this.skip()
    }
    const [one, other] = await Promise.all([findRedisProgram(cache), findRedisProgram(cache)])
    expect(one.command.startsWith(cache)).to.equal(true)
    expect(other).to.deep.equal(one)
    expect(readdirSync(cache)).to.have.lengthOf(1)
    // The PATH contains no tool to download it with.
    process.env['PATH'] = join(folder, 'nothing')
    expect((await findRedisProgram(cache)).command).to.equal(one.command)
  })

  it('refuses a Redis version that is too old', async () => {
    const old = join(folder, 'bin/redis-server')
    writeFileSync(old, '#!/bin/sh\necho "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64 build=0"\n')
    chmodSync(old, 0o755)
    const problem = await catchErrorMessage(() => findRedisProgram(cache))
    expect(problem).to.match(
      /redis-server is version 6\.2\.14, which is too old\. Install Redis 7 or later, [^\n]+\.$/,
    )
  })

  it('asks in a single sentence to install Redis if it cannot be downloaded', async () => {
    process.env['PATH'] = join(folder, 'nothing')
    expect(await catchErrorMessage(() => findRedisProgram(cache))).to.match(
      /^Redis is not installed\. Install Redis 7 or later, [^\n]+, or set REDIS_URL\.$/,
    )
  })
})

/** Links every program of the PATH except Redis and Valkey. */
function linkPrograms(bin: string, path: string): void {
  const seen = new Set<string>()
  for (const source of path.split(delimiter)) {
    for (const name of listFolder(source)) {
      if (seen.has(name) || /^(redis|valkey)/.test(name)) continue
      seen.add(name)
      symlinkSync(join(source, name), join(bin, name))
    }
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
