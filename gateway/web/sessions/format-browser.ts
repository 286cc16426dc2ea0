// Names a browser and its operating system, from the User-Agent header.
import { t } from '../locales/translate.ts'

// Returns enough for users to tell their own devices apart, without the rest of the header.
export function formatBrowser(userAgent: string | null): string {
  const text = userAgent ?? ''
  const browser = /Edg\/|OPR\/|Firefox\/|Chrome\/|Safari\//.exec(text)?.[0].slice(0, -1)
  const system = /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(text)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Macintosh: 'Mac' }
  const [first, second] = [browser, system].flatMap((each) =>
    each === undefined ? [] : [names[each] ?? each],
  )
  if (first === undefined) return text.slice(0, 60) || t`Unknown`
  return second === undefined ? first : `${first} (${second})`
}
