// The last My day that this browser has shown, for a phone without a connection: its words, without buttons and links. It
// belongs to the person who is signed in, so signing in or out deletes it.
const CACHE = 'my-day'
const HOME = new URL('../..', location.href).pathname.replace(/\/$/, '')
const isMy = HOME.endsWith('/my')
const pathOf = (url: string) => new URL(url).pathname

/** Whether the page is My day, or the address at which an installed app starts. */
export const isDay = (url: string) => isMy && [HOME, `${HOME}/start`].includes(pathOf(url))

export const isSigningInOrOut = (url: string) => isMy && pathOf(url).startsWith(`${HOME}/sign-`)

let timesForgotten = 0

export async function forgetDay(): Promise<void> {
  timesForgotten++
  await caches.delete(CACHE)
}

/** Stores only a complete page, neither a refusal nor a redirect. */
export async function keepDay(page: Response): Promise<void> {
  if (page.status !== 200) return
  const before = timesForgotten
  const main = /<header class="head">.*(?=<\/main>)/s.exec(await page.text())?.[0]
  if (main === undefined) return
  const words = main.replace(/<form.*?<\/form>|<\/?(a|svg|use)\b[^>]*>/gs, '')
  const date = page.headers.get('Date') ?? new Date().toUTCString()
  const cache = await caches.open(CACHE)
  await cache.put(HOME, new Response(words, { headers: { Date: date } }))
  // Somebody has signed in or out meanwhile.
  if (before !== timesForgotten) await caches.delete(CACHE)
}

export async function readDay(language: string) {
  const kept = await caches.match(HOME, { cacheName: CACHE })
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
