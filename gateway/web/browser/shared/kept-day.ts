// Stores the last My day page that this browser has shown, for use without a connection: its text, without
// buttons and links. The page belongs to the person who is signed in, so signing in or out deletes it.
const CACHE_NAME = 'my-day'
const HOME_PATH = new URL('../..', location.href).pathname.replace(/\/$/, '')
export const isOnPeopleSite = HOME_PATH.endsWith('/my')
const findPath = (url: string) => new URL(url).pathname

/** Returns whether the page is My day, or the address at which an installed app starts. */
export const isMyDay = (url: string) =>
  isOnPeopleSite && [HOME_PATH, `${HOME_PATH}/start`].includes(findPath(url))

export const isSigningInOrOut = (url: string) =>
  isOnPeopleSite && findPath(url).startsWith(`${HOME_PATH}/sign-`)

let deletionCount = 0

export async function deleteStoredDay(): Promise<void> {
  deletionCount++
  await caches.delete(CACHE_NAME)
}

/** Stores My day. Stores only a complete page, not a refusal or a redirect. */
export async function storeDay(page: Response): Promise<void> {
  if (page.status !== 200) return
  const before = deletionCount
  const main = /<header class="head">.*(?=<\/main>)/s.exec(await page.text())?.[0]
  if (main === undefined) return
  const words = main.replace(/<form.*?<\/form>|<\/?(a|svg|use)\b[^>]*>/gs, '')
  const date = page.headers.get('Date') ?? new Date().toUTCString()
  const cache = await caches.open(CACHE_NAME)
  await cache.put(HOME_PATH, new Response(words, { headers: { Date: date } }))
  // Deletes the page if somebody has signed in or out in the meantime.
  if (before !== deletionCount) await caches.delete(CACHE_NAME)
}

export async function readStoredDay(language: string) {
  const kept = await caches.match(HOME_PATH, { cacheName: CACHE_NAME })
  if (!kept) return undefined
  const words = await kept.text()
  const date = new Date(kept.headers.get('Date') ?? 0)
  const isToday = date.toDateString() === new Date().toDateString()
  const dateStyle = isToday ? undefined : ('medium' as const)
  return {
    title: /<h1>(.*?)<\/h1>/s.exec(words)?.[1] ?? '',
    content: words.replace(/<header.*?<\/header>/s, ''),
    at: date.toLocaleString(language, { dateStyle, timeStyle: 'short', hourCycle: 'h23' }),
  }
}
