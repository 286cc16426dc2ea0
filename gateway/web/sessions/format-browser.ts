// Names a browser and its system from the header User-Agent.
import { t } from '../locales/translate.ts'

// Enough to tell one's own devices apart; the rest of the text is noise.
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
