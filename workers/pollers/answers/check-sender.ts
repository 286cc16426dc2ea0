// Decides whether a mail really comes from the address in its From header, which anybody can forge. Berth trusts the
// header Authentication-Results (RFC 8601) of one mail server. This server adds the header to every mail, and removes
// headers that use its name from mails that arrive.

type Header = { key: string; value: string }

/**
 * Returns whether the server confirms that the domain of the address sent the mail: by DMARC or, if the domain has no
 * DMARC policy, by a DKIM signature of the domain or of a parent domain. Only the topmost header of the server counts.
 */
export function isAuthenticated(headers: readonly Header[], server: string, address: string): boolean {
  const domain = getDomain(address)
  const [results] = headers
    .filter(({ key }) => key === 'authentication-results')
    .map(({ value }) => splitResults(value))
    .filter(([name = '']) => name.split(/\s/)[0]?.toLowerCase() === server.toLowerCase())
  const checks = (results ?? []).slice(1).map(readCheck)
  const dmarc = checks.filter(({ method }) => method === 'dmarc')
  if (dmarc.some(({ result }) => result !== 'none'))
    return dmarc.every(
      ({ result, properties }) => result === 'pass' && (properties.get('header.from') ?? domain) === domain,
    )
  return checks.some(({ method, result, properties }) => {
    const signer = properties.get('header.d') ?? getDomain(properties.get('header.i') ?? '')
    return method === 'dkim' && result === 'pass' && signer !== '' && `.${domain}`.endsWith(`.${signer}`)
  })
}

const getDomain = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/**
 * Splits the value of the header at its semicolons, and leaves out comments. Does not split quoted text, because a
 * sender could hide a false result in it.
 */
function splitResults(value: string): string[] {
  const parts = ['']
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < value.length; index++) {
    const character = value[index] ?? ''
    if (character === '\\' && (isQuoted || depth > 0)) index++
    else if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (character === '(' && !isQuoted) depth++
    else if (character === ')' && !isQuoted && depth > 0) depth--
    else if (depth === 0 && character === ';' && !isQuoted) parts.push('')
    else if (depth === 0)
      parts.push(`${parts.pop()}${isQuoted && /[\s;=]/.test(character) ? '_' : character}`)
  }
  return parts.map((part) => part.trim())
}

function readCheck(text: string): { method: string; result: string; properties: Map<string, string> } {
  const [first = '', ...others] = text
    .toLowerCase()
    .replace(/\s*=\s*/g, '=')
    .split(/\s+/)
  const [method = '', result = ''] = first.split('=')
  const pairs = others.map((each): [string, string] => {
    const at = each.indexOf('=')
    return [each.slice(0, at), each.slice(at + 1)]
  })
  return { method: method.split('/')[0] ?? '', result, properties: new Map(pairs) }
}
