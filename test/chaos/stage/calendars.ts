// The calendars of rooms at their providers: test servers, and a real Radicale. They run apart from the processes of Berth, so
// that they keep their data while Berth is killed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import { type Patch, replaceInCode } from '../../harness/built-copy.ts'
import { RADICALE_PASSWORD, RADICALE_USER } from '../../support/calendars/caldav-servers.ts'
import { GoogleServer } from '../../support/calendars/google-server.ts'
import { GraphServer } from '../../support/calendars/graph-server.ts'
import { testPrivateKey } from '../../support/calendars/test-keys.ts'
import { type AnyWorld, OPEN_WORLDS } from '../../workers/calendars/engine-world.ts'

export type StagedCalendars = { worlds: AnyWorld[]; environment: Record<string, string>; patches: Patch[] }

// Makes Berth wait seconds instead of minutes before it repeats what failed, because a run is short.
const SHORT_WAITS = [
  replaceInCode('shared/settings/calendars.js', 'min: 10,', 'min: 1,'),
  replaceInCode('shared/room-calendars/providers/requests.js', 'TIMEOUT_MS = 30_000', 'TIMEOUT_MS = 3_000'),
  replaceInCode('shared/room-calendars/providers/faults.js', '[5, 30, 120, 300, 900]', '[0.5, 1, 2]'),
  replaceInCode('shared/room-calendars/providers/faults.js', '- 1] ?? 900', '- 1] ?? 2'),
  replaceInCode('workers/calendars/engine/leases.js', 'LEASE_SECONDS = 60', 'LEASE_SECONDS = 6'),
  replaceInCode(
    'workers/calendars/engine/leases.js',
    'LEASE_RENEWAL_MS = 15_000',
    'LEASE_RENEWAL_MS = 1_000',
  ),
  replaceInCode(
    'workers/calendars/engine/leases.js',
    'LEASE_RELIED_ON_MS = 45_000',
    'LEASE_RELIED_ON_MS = 4_000',
  ),
  replaceInCode('workers/calendars/engine/queue-entries.js', 'DEADLINE_MS = 30_000', 'DEADLINE_MS = 4_000'),
  replaceInCode('workers/calendars/engine/queue-entries.js', "interval '35 seconds'", "interval '5 seconds'"),
]

export async function openCalendars(
  providers: CalendarProviderName[],
  folder: string,
): Promise<StagedCalendars> {
  const worlds: AnyWorld[] = []
  for (const name of providers) worlds.push(await OPEN_WORLDS[name]())
  const staged: StagedCalendars = {
    worlds,
    patches: [...SHORT_WAITS],
    environment: { CALENDARS_ALLOW_PRIVATE: '127.0.0.1', CALENDARS_POLL_SECONDS: '1' },
  }
  for (const world of worlds) addSettings(staged, world, folder)
  return staged
}

function addSettings({ environment, patches }: StagedCalendars, { server, proxy }: AnyWorld, folder: string) {
  if (server instanceof GraphServer)
    Object.assign(environment, {
      CALENDARS_MICROSOFT_TENANT: 'tenant',
      CALENDARS_MICROSOFT_CLIENT_ID: 'client',
      CALENDARS_MICROSOFT_CLIENT_SECRET: server.secret,
      CALENDARS_MICROSOFT_GRAPH_URL: proxy.url,
      CALENDARS_MICROSOFT_LOGIN_URL: proxy.url,
    })
  else if (server instanceof GoogleServer) {
    const file = join(folder, 'google-key.json')
    writeFileSync(file, JSON.stringify({ client_email: server.clientEmail, private_key: testPrivateKey }))
    Object.assign(environment, {
      CALENDARS_GOOGLE_KEY_FILE: file,
      CALENDARS_GOOGLE_SUBJECT: 'admin@corp.test',
    })
    // Replaces Google's addresses in the code, because no setting names them.
    patches.push(
      replaceInCode(
        'shared/room-calendars/providers/google.js',
        "'https://www.googleapis.com'",
        `'${proxy.url}'`,
      ),
      replaceInCode('shared/room-calendars/providers/google.js', 'https://admin.googleapis.com', proxy.url),
      replaceInCode(
        'shared/room-calendars/providers/credentials.js',
        'https://oauth2.googleapis.com',
        proxy.url,
      ),
    )
  } else
    Object.assign(environment, {
      CALENDARS_CALDAV_URL: `${proxy.url}/`,
      CALENDARS_CALDAV_USER: RADICALE_USER,
      CALENDARS_CALDAV_PASSWORD: RADICALE_PASSWORD,
    })
}
