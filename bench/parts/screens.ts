// Measures what 500 screens, 20 of them in lobbies, cost a gateway: while nothing happens, and when they all reconnect
// after a restart.
import { get, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../local/tools/ports.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { generateToken, hashToken } from '../../shared/tokens/token-store.ts'
import { type Goal, recordFigure } from '../figures.ts'
import { computeQuantile, printTable } from '../measure.ts'
import type { Runner } from '../runner.ts'
import { measureCpuUs, measureResidentMb } from '../stage/process-table.ts'
import { getBuiltFile, type Script, startScript, waitUntil } from '../stage/scripts.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'
import { openStatementCounter } from '../stage/statement-counter.ts'

const SCREEN_COUNT = 500
const LOBBY_SCREEN_COUNT = 20
const SETTLE_MS = 15_000
const WATCH_MS = 60_000
const RECONNECT_MS_MAX = 30_000
// The pause before a screen reconnects, as in the script that screens run.
const RETRY_MS = { min: 1_000, max: 6_000 }

type Screen = { address: string; version: string; backAtMs: number; beats: number }

export async function measureScreens(runner: Runner, servers: Servers, databaseUrl: string): Promise<void> {
  const counter = await openStatementCounter(databaseUrl)
  const secrets = await createScreens(databaseUrl)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  async function start(): Promise<Script> {
    const gateway = startScript({
      name: 'screens-gateway',
      file: getBuiltFile('gateway/main.js'),
      environment: {
        DATABASE_URL: databaseUrl,
        REDIS_URL: getRedisUrl(servers, 0),
        PORT: String(port),
        HOST: '127.0.0.1',
        LAME_DUCK_MS: '0',
      },
      directory: servers.directory,
    })
    await waitUntil(gateway, async () => (await fetch(`${url}/healthz`)).ok)
    return gateway
  }
  const first = await start()
  const screens = secrets.map((secret) => ({
    address: `${url}/screens/${secret}`,
    version: '',
    backAtMs: 0,
    beats: 0,
  }))
  for (const screen of screens) followScreen(screen)
  await waitForReconnects(screens, 0)
  await sleep(SETTLE_MS)

  await counter.reset()
  const [usedUs, startedMs] = [measureCpuUs([first.pid]), performance.now()]
  await sleep(WATCH_MS)
  const percent = (measureCpuUs([first.pid]) - usedUs) / (performance.now() - startedMs) / 10
  const { statements } = await counter.read()
  const memory = measureResidentMb(first.pid)

  await first.stop()
  const stoppedMs = Date.now()
  await counter.reset()
  const second = await start()
  await waitForReconnects(screens, stoppedMs)
  const backMs = screens.map(({ backAtMs }) => backAtMs - stoppedMs)
  const restartUs = measureCpuUs([second.pid])
  const { statements: afterRestart } = await counter.read()
  const figures: Array<[what: string, value: number, goal?: Goal]> = [
    [`${SCREEN_COUNT} screens that are on: % of a core of the gateway`, percent, { most: 2 }],
    ['… statements a second', statements / (WATCH_MS / 1_000)],
    ['… the gateway, resident MB', memory],
    ['… back after a restart, the last one, s', computeQuantile(backMs, 1) / 1_000, { most: 15 }],
    ['… half of them, s', computeQuantile(backMs, 0.5) / 1_000],
    ['… CPU of the gateway until then, its start included, s', restartUs / 1_000_000],
    ['… statements until then', afterRestart],
  ]
  printTable(
    ['screens', 'measured', 'goal'],
    figures.map(([what, value, goal]) => [
      what,
      value.toFixed(value < 10 ? 2 : 0),
      goal ? recordFigure(runner, what, value, goal) : '',
    ]),
  )
  for (const screen of screens) screen.address = ''
  await second.stop()
  await counter.stop()
}

async function createScreens(databaseUrl: string): Promise<string[]> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const bookables: number[] = await database('bookables')
    .whereNull('deleted_at')
    .orderBy('id')
    .limit(SCREEN_COUNT - LOBBY_SCREEN_COUNT)
    .pluck('id')
  const buildings: number[] = await database('buildings').orderBy('id').limit(LOBBY_SCREEN_COUNT).pluck('id')
  const places = [
    ...bookables.map((bookable_id) => ({ kind: 'door', bookable_id })),
    ...Array.from({ length: LOBBY_SCREEN_COUNT }, (_, index) => ({
      kind: 'lobby',
      building_id: buildings[index % buildings.length],
    })),
  ]
  const screens = places.map((place) => ({ ...place, secret: generateToken('screen') }))
  for (const { secret, ...place } of screens)
    await database('screens').insert({
      ...place,
      name: 'Screen',
      hash: hashToken(secret),
      names: 'full',
      appearance: 'light',
      language: 'en',
    })
  await database.destroy()
  return screens.map(({ secret }) => secret)
}

/** Reconnects as the script of a screen does, until the screen's address is empty. */
function followScreen(screen: Screen) {
  const again = () => {
    if (screen.address === '') return
    setTimeout(
      () => {
        const asked = request(screen.address, { method: 'HEAD', agent: false }, (answer) => {
          answer.resume()
          followScreen(screen)
        })
        asked.on('error', again).end()
      },
      RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min),
    )
  }
  get(`${screen.address}/feed?have=${screen.version}`, { agent: false }, (answer) =>
    readStream(screen, answer).then(again, again),
  ).on('error', again)
}

async function readStream(screen: Screen, answer: IncomingMessage): Promise<void> {
  for await (const chunk of answer) {
    const text = String(chunk)
    screen.beats++
    screen.backAtMs = Date.now()
    const [, version] = /"version":"([^"]+)"/.exec(text) ?? []
    if (version !== undefined) screen.version = version
  }
}

async function waitForReconnects(screens: Screen[], sinceMs: number): Promise<void> {
  const untilMs = Date.now() + RECONNECT_MS_MAX
  while (screens.some(({ backAtMs, version }) => backAtMs <= sinceMs || version === '')) {
    if (Date.now() > untilMs) throw new Error('Not all screens are on')
    await sleep(50)
  }
}
