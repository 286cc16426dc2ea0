// The import wizard as a person goes through it: choose an import file, review what it would change, apply it.
import { expect } from 'chai'
import { eventually } from '../time.ts'
import type { Browser } from './dashboard.ts'

// A process reads the file, and a machine may be busy.
const IMPORT_MS = 60_000

type Choices = Record<string, string | string[]>

export const importFile = (text: string, name = 'people.csv') => new File([text], name)

/** Sends the import file by the form of a page, and returns the path of its import at once. */
export async function sendImportFile(
  browser: Browser,
  file: File,
  choices: Choices = {},
  start = '/dashboard/people/import',
): Promise<string> {
  await browser.open(start)
  const { status, path } = await browser.submit('Review', { file, ...choices })
  expect(status, browser.words).to.equal(200)
  expect(path).to.match(/^\/dashboard\/(people|places)\/imports\/[\da-f-]{36}$/)
  return path
}

/** Until the job of this page has ended, however it did. */
export async function awaitImport(browser: Browser, path: string): Promise<void> {
  await eventually(async () => {
    await browser.open(path)
    expect(browser.words).to.not.include('You can leave this page')
  }, IMPORT_MS)
}

export async function reviewImport(browser: Browser, text: string, choices: Choices = {}): Promise<string> {
  const path = await sendImportFile(browser, importFile(text), choices)
  await awaitImport(browser, path)
  return path
}

/** Sends the form of the present page that applies its plan, and waits for what comes of it. */
export async function apply(browser: Browser): Promise<string> {
  const [, button = ''] = /<button[^>]*>(Apply: [^<]*)</.exec(browser.page.text) ?? []
  expect(button, browser.words).to.not.equal('')
  const { path } = await browser.submit(button)
  await awaitImport(browser, path)
  return path
}

type Downloaded = { status: number; headers: Headers; bytes: Buffer }

/** Follows a link of the present page to a file. */
export async function download(
  browser: Browser,
  text: string,
  headers: Record<string, string> = {},
): Promise<Downloaded> {
  const links = [...browser.page.text.matchAll(/<a href="([^"]*)" download>([^<]*)</g)]
  const [, address = ''] = links.find(([, , shown]) => shown === text || shown === `Export as ${text}`) ?? []
  expect(address, `A file “${text}” in ${browser.page.path}`).to.not.equal('')
  return fetchFile(browser, address.replaceAll('&amp;', '&'), headers)
}

export async function fetchFile(
  browser: Browser,
  path: string,
  headers: Record<string, string> = {},
): Promise<Downloaded> {
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(browser.url + path, { headers: { Cookie, ...headers }, redirect: 'manual' })
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}
