// Faults of the calendars of rooms: their processes are killed at the worst moments, and their providers are down, ask for fewer
// requests, lose answers or forget up to where Berth has read. They happen only on a stage with calendars.
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault as ProviderFault } from '../../support/calendars/http.ts'
import type { TrapAction } from '../../support/faults/proxy.ts'
import { isCreation, isWrite } from '../../workers/calendars/room-edits.ts'
import type { Hooks } from '../stage/stage.ts'
import { type Arena, type Fault, pickShortOutageMs, within } from './arena.ts'

// Longer than a lease, so that another process takes the calendars over.
const HANGS_MS = { from: 7_000, to: 9_000 }

/** Parts of the SQL at which hooks is killed, with their files: one stores a page, one the provider's answer to a write. */
export const AWAITED_SQL = {
  page: { file: 'workers/calendars/reading/store-entries.js', text: '(bookable_id, entry_id, copy_id,' },
  answer: { file: 'workers/calendars/writing/entry-rows.js', text: 'SET entry_id = $' },
}

export const CALENDAR_FAULTS = {
  'hooks is killed': async ({ stage, random }) => {
    const hooks = random.pick(stage.hooks)
    hooks.child.kill('SIGKILL')
    await wait(random.between(0, 500))
    await stage.restartHooks(hooks)
  },
  'hooks is killed before it has stored a page': (arena) => killAt(arena, AWAITED_SQL.page.text, 'drop'),
  'hooks is killed before it has stored what it wrote': (arena) =>
    killAt(arena, AWAITED_SQL.answer.text, 'drop'),

  // The provider has carried out the write, but Berth has not stored this.
  'hooks is killed before it hears that an entry is written': async ({ stage, random }) => {
    await loseAnswers({ stage, random }, isWrite, () => {
      for (const { child } of stage.hooks) child.kill('SIGKILL')
    })
    for (const { child } of stage.hooks) child.kill('SIGKILL')
    await Promise.all(stage.hooks.map((hooks) => stage.restartHooks(hooks)))
  },

  'hooks hangs and resumes': async ({ stage, random }) => {
    const { child } = random.pick(stage.hooks)
    child.kill('SIGSTOP')
    await wait(random.between(HANGS_MS.from, HANGS_MS.to))
    child.kill('SIGCONT')
  },

  'a provider is away': (arena) => failFor(arena, { answer: { status: 503 } }),
  'a provider cuts connections': (arena) => failFor(arena, {}),
  'a provider never answers': (arena) => failFor(arena, { answer: () => undefined }),
  'a provider asks for fewer requests': (arena) =>
    failFor(arena, { answer: { status: 429, headers: { 'Retry-After': '1' } } }),
  'a provider loses all answers': (arena) => failFor(arena, { isCarriedOut: true, matches: isWrite }),
  'the answer to a creation is lost': (arena) => loseAnswers(arena, isCreation),
  'the answer to a change of an entry is lost': (arena) =>
    loseAnswers(arena, (request) => isWrite(request) && !isCreation(request)),
  'providers forget the positions of all readings': async ({ stage }) => {
    for (const world of stage.calendars.worlds) world.forgetPositions()
  },
} satisfies Record<string, Fault>

/** Kills the first process of hooks that sends this text to Postgres, and starts it again. */
async function killAt({ stage }: Arena, text: string, fate: TrapAction): Promise<void> {
  const removals: Array<() => void> = []
  const killed = await within(
    new Promise<Hooks>((resolve) => {
      for (const hooks of stage.hooks) {
        const spring = () => {
          for (const remove of removals) remove()
          hooks.child.kill('SIGKILL')
          resolve(hooks)
          return fate
        }
        removals.push(hooks.postgres.trap('server', text, spring))
      }
    }),
  )
  for (const remove of removals) remove()
  if (killed) await stage.restartHooks(killed)
}

/** Makes a provider fail for a while. */
async function failFor(arena: Arena, fault: ProviderFault): Promise<void> {
  const { faults } = arena.random.pick(arena.stage.calendars.worlds).proxy
  const lasting = { ...fault, isLasting: true }
  faults.push(lasting)
  await wait(pickShortOutageMs(arena))
  faults.splice(faults.indexOf(lasting), 1)
}

/** Loses the answer to the next request that matches, after the provider has carried it out. */
async function loseAnswers(
  { stage }: Arena,
  matches: NonNullable<ProviderFault['matches']>,
  onLost: () => void = () => undefined,
): Promise<void> {
  const removals: Array<() => void> = []
  await within(
    new Promise<void>((resolve) => {
      for (const { proxy } of stage.calendars.worlds) {
        const fault: ProviderFault = {
          matches,
          isCarriedOut: true,
          answer(response) {
            onLost()
            // If the connection were cut, Berth might send the request again at once. After a 504, only a later round does.
            response.writeHead(504).end()
            resolve()
          },
        }
        proxy.faults.push(fault)
        removals.push(
          () => void proxy.faults.splice(proxy.faults.indexOf(fault), proxy.faults.includes(fault) ? 1 : 0),
        )
      }
    }),
  )
  for (const remove of removals) remove()
}
