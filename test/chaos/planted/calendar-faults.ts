// Planted faults of room calendars. Each makes a room and its calendar differ permanently, or change without end.
import { setTimeout as wait } from 'node:timers/promises'
import { replaceInCode } from '../../harness/built-copy.ts'
import type { Settings } from '../run.ts'
import type { PlantedInScene } from './plant.ts'

const EDITING_MS = 8_000
// A scene with one provider and hardly any other clients.
const CALENDAR_SCENE = {
  faults: [],
  workers: 1,
  gateways: 1,
  clients: 2,
  kinds: ['book'],
  writes: 1,
  calendars: ['microsoft'],
  restMsMax: 15_000,
  scene: () => wait(EDITING_MS),
} satisfies Partial<Settings>
const LOST_PAGE_FAULT = 'hooks is killed before it has stored a page'
const LOST_CREATION_FAULT = 'the answer to a creation is lost'
const FORGOTTEN_POSITIONS_FAULT = 'providers forget the positions of all readings'
const shows: PlantedInScene['shows'] = ['a room and its calendar that do not say the same']

export const PLANTED_CALENDAR_FAULTS: PlantedInScene[] = [
  {
    name: 'a position of a calendar that is stored before its page',
    patches: [
      replaceInCode(
        'workers/calendars/reading/store-page.js',
        'await holdLease(transaction, link, { position: page.position });',
        'await inTransaction(tools, (first) => holdLease(first, link, { position: page.position }));',
      ),
    ],
    shows,
    scene: { ...CALENDAR_SCENE, faults: Array(4).fill(LOST_PAGE_FAULT) },
  },
  {
    name: 'an entry that is created again after a lost answer',
    patches: [
      // Repeats the call at once, because the next reading would find the entry of the first call.
      replaceInCode(
        'workers/calendars/writing/write-entries.js',
        'return await provider.createEntry(calendar, key, toContent(base));',
        `const create = () => provider.createEntry(calendar, key, toContent(base));
         return await create().catch(create);`,
      ),
      replaceInCode(
        'shared/room-calendars/providers/microsoft.js',
        'const former = await this.#findByKey(calendar, key);',
        'const former = undefined;',
      ),
      replaceInCode(
        'shared/room-calendars/providers/microsoft-entries.js',
        '{key}`,',
        '{key} ` + Math.random(),',
      ),
      replaceInCode(
        'shared/room-calendars/providers/microsoft-entries.js',
        'own?.slice(TRANSACTION_PREFIX.length)',
        "own?.slice(TRANSACTION_PREFIX.length).split(' ')[0]",
      ),
    ],
    shows,
    scene: { ...CALENDAR_SCENE, faults: Array(4).fill(LOST_CREATION_FAULT) },
  },
  {
    name: 'a calendar that ignores an expired position',
    patches: [
      replaceInCode(
        'shared/room-calendars/providers/microsoft.js',
        'return { isExpired: true }',
        'return { changed: [], removed: [], unreadable: [], position, hasMore: false }',
      ),
    ],
    shows,
    scene: { ...CALENDAR_SCENE, faults: [FORGOTTEN_POSITIONS_FAULT] },
  },
  {
    // Berth acts as if both sides had changed the entry: it writes its own version again, and then reads that as the next change.
    name: 'an entry of Berth that counts as changed outside when it is read',
    patches: [
      replaceInCode(
        'workers/calendars/reading/store-entries.js',
        'series = excluded.series, uid',
        'base = CASE WHEN known.key IS NULL THEN known.base END, series = excluded.series, uid',
      ),
      replaceInCode(
        'workers/calendars/reading/store-entries.js',
        'IS_OWN_PENDING_SQL = `known.base',
        'IS_OWN_PENDING_SQL = `true OR known.base',
      ),
    ],
    shows,
    scene: CALENDAR_SCENE,
  },
]
