// Shared helpers for the tests of German pages: each case is a list of steps, such as opening a page, and its
// expected texts.
import { expect } from 'chai'
import { COOKIE_NAMES } from '../../../gateway/web/sessions/cookies.ts'
import { eventually } from '../time.ts'
import { useWorld, type World, type WorldOptions } from '../world.ts'
import { type Browser, useSignedIn } from './dashboard.ts'

export type Step = (browser: Browser) => unknown
export type Case = (world: World) => Step[] | Promise<Step[]>

const expectWords = ({ words }: Browser, shown: string[]) => {
  for (const each of shown) expect(words).to.include(each)
}

export const open =
  (path: string, ...shown: string[]): Step =>
  async (browser) => {
    await browser.open(`/dashboard${path}`)
    expectWords(browser, shown)
  }

/** Submits the form with the given button on the page of the previous step. */
export const submit =
  (button: string, fields: Record<string, string> = {}, ...shown: string[]): Step =>
  async (browser) => {
    await browser.submit(button, fields)
    expectWords(browser, shown)
  }

export const submitInvalid =
  (status: number, button: string, fields: Record<string, string>, ...shown: string[]): Step =>
  async (browser) => {
    expect((await browser.submit(button, fields)).status).to.equal(status)
    expectWords(browser, shown)
  }

export const openUntil = (path: string, ...shown: string[]): Step => {
  const step = open(path, ...shown)
  return (browser) => eventually(async () => step(browser))
}

export const hides =
  (...hidden: string[]): Step =>
  ({ words }) => {
    for (const each of hidden) expect(words).to.not.include(each)
  }

/** Tests each case in the same world, as an owner who reads German. */
export function testInGerman(options: WorldOptions, cases: Record<string, Case>): World {
  const world = useWorld(options)
  const browser = useSignedIn(world)
  before(() => browser.cookies.set(COOKIE_NAMES.language, 'de'))
  for (const [title, prepare] of Object.entries(cases))
    it(title, async () => {
      for (const step of await prepare(world)) await step(browser)
    })
  return world
}
