// Uses the import wizard like a person: uploads a file, reviews the changes, applies them.
import { expect } from 'chai'
import { eventually } from '../time.ts'
import type { Browser } from './dashboard.ts'

// A separate process reads the file, which may take long on a busy machine.
const IMPORT_MS_MAX = 150_000

type Choices = Record<string, string | string[]>

export const importFile = (text: string, name = 'people.csv') => new File([text], name)

/** Uploads the file with the form of a page, and returns the path of the import without waiting. */
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

/** Waits until the job that a page shows has ended, successfully or not. */
export async function awaitImport(browser: Browser, path: string): Promise<void> {
  await eventually(async () => {
    await browser.open(path)
    expect(browser.words).to.not.include('You can leave this page')
  }, IMPORT_MS_MAX)
}

export async function reviewImport(browser: Browser, text: string, choices: Choices = {}): Promise<string> {
  const path = await sendImportFile(browser, importFile(text), choices)
  await awaitImport(browser, path)
  return path
}

/** Applies the plan on the current page, and waits for the result. */
export async function apply(browser: Browser): Promise<string> {
  const [, button = ''] = /<button[^>]*>(Apply: [^<]*)</.exec(browser.page.text) ?? []
  expect(button, browser.words).to.not.equal('')
  const { path } = await browser.submit(button)
  await awaitImport(browser, path)
  return path
}

type DownloadedFile = { status: number; headers: Headers; bytes: Buffer }

/** Follows a link of the current page to a file. */
export async function download(
  browser: Browser,
  text: string,
  headers: Record<string, string> = {},
): Promise<DownloadedFile> {
  const links = [...browser.page.text.matchAll(/<a href="([^"]*)" download>([^<]*)</g)]
  const [, address = ''] = links.find(([, , shown]) => shown === text || shown === `Export as ${text}`) ?? []
  expect(address, `A file “${text}” in ${browser.page.path}`).to.not.equal('')
  return fetchFile(browser, address.replaceAll('&amp;', '&'), headers)
}

export async function fetchFile(
  browser: Browser,
  path: string,
  headers: Record<string, string> = {},
): Promise<DownloadedFile> {
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(browser.url + path, { headers: { Cookie, ...headers }, redirect: 'manual' })
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}
