// A clerk works in the dashboard and at the screens of rooms: books several desks with one request id, undoes
// one of these bookings, swaps two, undoes the swap, adds visitors and presses buttons on screens. A clerk
// repeats an unchanged form until it is answered. The office's ledger records the expected state of each
// booking, for check/ledger.ts.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { Browser, type Form, PASSWORD, parseForms } from '../../support/dashboard/dashboard.ts'
import { determineVerdict, findDecisiveTry, type History, type Kind, type Write } from '../history.ts'
import type { Stage } from '../stage/stage.ts'
import { findBookingMismatch } from './mismatch.ts'
import { type ClerkDesks, getSlot, type LedgerBooking, type LedgerStep, type Office } from './office.ts'
import type { Sender } from './sender.ts'

export type ClerkOptions = {
  stage: Stage
  office: Office
  history: History
  sender: Sender
  random: Random
  counter: ClerkDesks
  index: number
}

const ACTION_WEIGHTS = { book: 3, undo: 5, swap: 4, visitor: 3, press: 4 }
// Longer than a gateway takes to answer a page.
const PAGE_MS_MAX = 8_000
const PAUSE_MS = 100
// A screen accepts a limited number of presses.
const DOOR_REFUSALS = ['form 409', 'form 422', 'form 429']

export class Clerk {
  readonly #parts: ClerkOptions
  #browser: Browser | undefined
  #number = 0
  /** Bookings whose last form was answered: they may be changed next. */
  #settled: LedgerBooking[] = []

  constructor(parts: ClerkOptions) {
    this.#parts = parts
  }

  /** Performs one action until it is decided or the time has run out. Skips the action if its page cannot be shown. */
  async act(forMs: number): Promise<void> {
    const kind = this.#parts.random.pickKey(ACTION_WEIGHTS)
    await this.#acts[kind](forMs).catch(() => undefined)
    await wait(PAUSE_MS)
  }

  readonly #acts = {
    book: (forMs: number) => this.#bookTogether(forMs),
    undo: (forMs: number) => this.#undo(forMs),
    swap: (forMs: number) => this.#swap(forMs),
    visitor: (forMs: number) => this.#noteVisitor(forMs),
    press: (forMs: number) => this.#press(forMs),
  }

  /** Books several desks: the bookings share a request id, and often a transaction, but each is a separate write. */
  async #bookTogether(forMs: number): Promise<void> {
    const { office, counter, history, sender } = this.#parts
    const mark = this.#nextMark()
    const slot = getSlot(office, this.#number)
    const writes = counter.desks.map((bookable_id, index) => {
      const { location_id, user_id } = office
      const body = { bookable_id, location_id, user_id, ...slot, guest_name: `${mark}-${index}` }
      return history.begin({
        mark: body.guest_name,
        kind: 'book together',
        token: 0,
        key: body.guest_name,
        refusals: [],
        request: { method: 'POST', path: 'bookings', body },
        sharedRequestId: `together-${mark}`,
        mismatch: findBookingMismatch(body),
      })
    })
    await Promise.all(writes.map((write) => sender.perform(write, forMs)))
    for (const [index, write] of writes.entries()) {
      if (determineVerdict(write) !== 'done') continue
      const booked = { id: Number(findDecisiveTry(write)?.id), desk: counter.desks[index] ?? 0, group: mark }
      office.ledger.push({ kind: 'book', write, bookings: [booked] })
      this.#settled.push(booked)
    }
  }

  async #undo(forMs: number): Promise<void> {
    const { random, stage } = this.#parts
    if (this.#settled.length === 0) return
    const booked = random.pick(this.#settled)
    const last = this.#lastStepOf(booked)
    // A change can no longer be undone if one of its bookings was swapped later.
    if (!last || last.bookings.some((each) => this.#lastStepOf(each) !== last)) return
    const [entry] = await stage
      .database('audit_log')
      .where({ resource: 'bookings', resource_id: booked.id })
      .orderBy('id', 'desc')
      .limit(1)
    const form = await this.#form(`/dashboard/undo/${entry.id}`, ({ buttons }) => buttons.includes('Undo'))
    const kind = last.kind === 'book' ? 'remove' : 'swap'
    await this.#change(kind, 'undo', last.bookings, form, forMs)
    // A clerk does not change a booking again that an undo has restored.
    this.#settled = this.#settled.filter(({ id }) => !last.bookings.some((each) => each.id === id))
  }

  #lastStepOf(booked: LedgerBooking): LedgerStep | undefined {
    return this.#parts.office.ledger.findLast(
      ({ bookings, write }) =>
        bookings.some(({ id }) => id === booked.id) && determineVerdict(write) === 'done',
    )
  }

  async #swap(forMs: number): Promise<void> {
    const { random } = this.#parts
    if (this.#settled.length === 0) return
    const one = random.pick(this.#settled)
    const other = this.#settled.find(({ id, group }) => id !== one.id && group === one.group)
    if (!other) return
    const form = await this.#form(`/dashboard/bookings/swap?ids=${one.id},${other.id}`, ({ buttons }) =>
      buttons.includes('Swap'),
    )
    await this.#change('swap', 'swap', [one, other], form, forMs)
  }

  /** Changes bookings, and makes no other change to these bookings until this change is decided. */
  async #change(
    step: 'remove' | 'swap',
    kind: Kind,
    bookings: LedgerBooking[],
    form: Form,
    forMs: number,
  ): Promise<void> {
    const { office } = this.#parts
    const isOther = ({ id }: LedgerBooking) => !bookings.some((each) => each.id === id)
    this.#settled = this.#settled.filter(isOther)
    const write = this.#begin(kind, form.address, encodeFields(form))
    office.ledger.push({ kind: step, write, bookings })
    await this.#parts.sender.perform(write, forMs)
    if (determineVerdict(write) === 'done' && step === 'swap') this.#settled.push(...bookings)
  }

  async #noteVisitor(forMs: number): Promise<void> {
    const form = await this.#form('/dashboard/visitors', ({ controls }) =>
      controls.some(({ name }) => name === 'visitor'),
    )
    const mark = this.#nextMark()
    const fields = encodeFields(form, { visitor: mark, host: this.#parts.office.hostEmail })
    await this.#parts.sender.perform(this.#begin('visitor', form.address, fields, mark), forMs)
  }

  /**
   * Presses a button on a door screen. Other clerks use the same doors, and the screen refuses those who are too late.
   */
  async #press(forMs: number): Promise<void> {
    const { office, random, stage, sender } = this.#parts
    const door = random.pick(office.doors)
    const running = await stage
      .database('bookings')
      .where({ bookable_id: door.room })
      .whereRaw('during @> now()')
      .first('id')
    const asked: Record<string, string> = running
      ? { action: 'end', booking: String(running.id) }
      : { action: 'book', minutes: '15' }
    const fields = new URLSearchParams({ ...asked, key: randomUUID() }).toString()
    const kind = running ? 'end at a door' : 'book at a door'
    await sender.perform(this.#begin(kind, door.path, fields, this.#nextMark(), DOOR_REFUSALS), forMs)
  }

  #begin(kind: Kind, path: string, fields: string, mark = this.#nextMark(), refusals: string[] = []): Write {
    const cookie = [...(this.#browser?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = path.startsWith('/screens/') ? { fields } : { fields, cookie }
    const request = { method: 'POST', path, form }
    return this.#parts.history.begin({ mark, kind, token: 0, key: mark, request, refusals })
  }

  #nextMark(): string {
    return `d${this.#parts.index}-${++this.#number}`
  }

  /** Returns the form on a page, with a submission id that stays the same for all repeats. */
  async #form(path: string, isWanted: (form: Form) => boolean): Promise<Form> {
    this.#browser ??= await this.#signIn()
    const { url, cookies } = this.#browser
    // Uses a separate browser, so that a late press changes no other page.
    const browser = new Browser(url)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    await limitPageTime(browser.open(path))
    if (browser.page.path.startsWith('/dashboard/sign-in')) this.#browser = undefined
    const form = parseForms(browser.page.text).find(isWanted)
    if (!form) throw new Error(`There is no such form in ${browser.page.path}`)
    return form
  }

  async #signIn(): Promise<Browser> {
    const { stage, random, counter } = this.#parts
    const browser = new Browser(random.pick(stage.gateways).front.url.replace(/\/$/, ''))
    await limitPageTime(browser.signIn(counter.email, PASSWORD))
    if (!browser.cookies.has('berth_session')) throw new Error('Not signed in')
    return browser
  }
}

/** Returns the fields that a browser would send: the values in the page and the values that a person fills in. */
export function encodeFields({ controls }: Form, filled: Record<string, string> = {}): string {
  const body = new URLSearchParams()
  for (const { name, value, type, checked } of controls) {
    if (name === '' || ((type === 'checkbox' || type === 'radio') && !checked)) continue
    body.append(name, filled[name] ?? value)
  }
  return body.toString()
}

export async function limitPageTime<Result>(work: Promise<Result>): Promise<Result> {
  const outcome = await Promise.race([work, wait(PAGE_MS_MAX, undefined, { ref: false })])
  if (outcome === undefined) throw new Error('The page took too long')
  return outcome
}
