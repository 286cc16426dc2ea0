// Sends planted values through every page of the dashboard: in its address, its parts and each field of each form.
import { expect } from 'chai'
import type * as yup from 'yup'
import { Browser, parseForms } from '../../support/dashboard/dashboard.ts'
import { listEveryPage } from '../../support/dashboard/every-page.ts'
import { apply, fetchFile, importFile, reviewImport } from '../../support/dashboard/import-wizard.ts'
import type { World } from '../../support/world.ts'
import type { Places } from './api-requests.ts'
import { PLANTED_VALUES, STEM } from './marks.ts'

// Forms that end the session or stop the queues.
const SKIPPED_FORMS = new Set(['/sign-out', 'sign-out-everywhere', '/queues/{queue}/pause'])

/**
 * Creates the first administrator with `link`, and does what administrators do. Returns every secret that was shown.
 */
export async function useMarkedDashboard(world: World, places: Places, link: string): Promise<string[]> {
  const { pathname, search } = new URL(link)
  const browser = new Browser(world.url)
  await browser.open(pathname + search)
  const admin = {
    email: PLANTED_VALUES.admin,
    password: PLANTED_VALUES.password,
    repeated: PLANTED_VALUES.password,
  }
  await browser.submit('Create administrator', admin)
  expect(browser.words).to.include('You are the first administrator.')

  const stranger = new Browser(world.url)
  await stranger.signIn(PLANTED_VALUES.admin, PLANTED_VALUES.wrongPassword)
  await stranger.signIn(PLANTED_VALUES.guestEmail, PLANTED_VALUES.password)
  await stranger.open(`/dashboard/sign-in?next=/dashboard/people?search=${STEM}`)
  await stranger.signIn(PLANTED_VALUES.admin, PLANTED_VALUES.password)
  expect(stranger.cookies.has('berth_session')).to.equal(true)

  const secrets = [await createToken(browser)]
  await writeAsPeopleDo(browser, places)
  secrets.push(...(await fillInEverything(world, browser)))
  for (const each of [browser, stranger]) secrets.push(...each.cookies.values())
  return [...secrets, new URL(link).searchParams.get('token') ?? '']
}

async function createToken(browser: Browser): Promise<string> {
  await browser.open('/dashboard/integrations/tokens/new')
  await browser.submit('Create token', { name: `${STEM} program`, abilities: ['read'], expires: '30' })
  return /berth_[0-9A-Za-z]{36}/.exec(browser.page.text)?.[0] ?? expect.fail('No token is shown')
}

async function writeAsPeopleDo(browser: Browser, { user_id, desk }: Places) {
  await browser.open('/dashboard/people/new')
  const person = {
    name: PLANTED_VALUES.name,
    email: `${STEM}.second@example.com`,
    license_plates: PLANTED_VALUES.plate,
    groups: STEM,
  }
  await browser.submit('Add person', person)
  expect(browser.page.status, browser.words).to.equal(200)
  await browser.open(`/dashboard/bookings/new?user=${user_id}&bookable=${desk}`)
  await browser.submit('Create booking', {
    guest_name: PLANTED_VALUES.guest,
    guest_email: PLANTED_VALUES.guestEmail,
  })
  expect(browser.words).to.include('is booked for')
  const list = `email,name,license_plates\n${STEM}.third@example.com,${PLANTED_VALUES.name},${PLANTED_VALUES.plate}\n${STEM},${STEM},\n`
  const path = await reviewImport(browser, list, { update: 'on' })
  await apply(browser)
  await browser.open(path)
  await browser.open('/dashboard/people/import')
  await browser.submit('Review', { file: importFile(STEM.repeat(9), PLANTED_VALUES.file) })
  await browser.open(`/dashboard/people?search=${STEM}`)
  const [, address = ''] = /href="([^"]*_download=[^"]*)"/.exec(browser.page.text) ?? []
  expect((await fetchFile(browser, address.replaceAll('&amp;', '&'))).status, 'the export').to.equal(200)
}

/** Visits every page, and returns the CSRF tokens. */
async function fillInEverything(world: World, browser: Browser): Promise<string[]> {
  const csrf = new Set<string>()
  for (const { page, path } of await listEveryPage(world)) {
    if (SKIPPED_FORMS.has(page.path)) continue
    const names = Object.keys((page.query as yup.ObjectSchema<yup.AnyObject>).fields ?? {})
    const query = new URLSearchParams(Object.fromEntries([...names, 'search'].map((name) => [name, STEM])))
    await browser.open(`${path.split('?')[0]}?${query}`)
    await browser.open(path)
    for (const part of Object.keys(page.live)) await browser.open(`${path.split('?')[0]}?_part=${part}`)
    const token = await readFormToken(browser)
    csrf.add(token)
    csrf.add(unmaskToken(token))
    for (const [name, action] of Object.entries(page.actions)) {
      if (SKIPPED_FORMS.has(name)) continue
      const fields = Object.keys((action.form as yup.ObjectSchema<yup.AnyObject>).fields)
      const body = action.takesFile ? new FormData() : new URLSearchParams()
      for (const field of fields)
        body.set(field, /password|current|repeated/.test(field) ? PLANTED_VALUES.wrongPassword : STEM)
      body.set('_action', name)
      body.set('_csrf', token)
      body.set('_version', STEM)
      if (body instanceof FormData)
        body.set('file', importFile(`email\n${STEM}@example.com\n`, PLANTED_VALUES.file))
      const { status } = await browser.post(path, body)
      expect(status, `${name} at ${path}`).to.be.below(500)
    }
  }
  return [...csrf]
}

// Returns the session's form token, which each page masks differently.
function unmaskToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const half = bytes.length / 2
  const own = bytes.subarray(half).map((byte, index) => byte ^ (bytes[index] ?? 0))
  return Buffer.from(own).toString('base64url')
}

async function readFormToken(browser: Browser): Promise<string> {
  if (!/name="_csrf"/.test(browser.page.text)) await browser.open('/dashboard/sign-out')
  const controls = parseForms(browser.page.text).flatMap((form) => form.controls)
  return controls.find(({ name }) => name === '_csrf')?.value ?? expect.fail('No form has a token')
}
