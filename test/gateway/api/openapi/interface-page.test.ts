// Compares the endpoint table of docs/interface.md with the endpoints in the code.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { endpoints } from '../../../../gateway/app.ts'
import { listRequiredAbilities } from '../../../../gateway/server/http/endpoint.ts'
import { API_PREFIX } from '../../../../gateway/server/http/router.ts'
import { ABILITIES } from '../../../../shared/tokens/token-store.ts'

const page = readFileSync('docs/interface.md', 'utf8')

describe('docs/interface.md', () => {
  it('lists every endpoint with its required ability, and no other endpoint', () => {
    const rows = page.matchAll(
      /^\| ((?:GET|POST|PUT|PATCH|DELETE)[\w, ]*) \| (api\/v1\/.*?)(?: \*)? \| (.+) \|$/gm,
    )
    const listed = [...rows].flatMap(([, methods = '', paths = '', ability = '']) =>
      methods
        .split(/ and |, /)
        .flatMap((method) => paths.split(', ').map((path) => `${method} /${path} ${ability}`)),
    )
    const present = endpoints.map(
      ({ method, path, isOpen, ...endpoint }) =>
        `${method} ${API_PREFIX}${path} ${isOpen ? 'no token' : listRequiredAbilities(endpoint).join(' and ') || 'any'}`,
    )
    expect(listed.sort()).to.deep.equal(present.sort())
  })

  it('describes every ability of tokens', () => {
    const described = [...page.matchAll(/^\| `([\w-]+)` \| /gm)].map(([, name]) => name)
    expect(described).to.include.members([...ABILITIES])
  })

  it('lists every refusal of an endpoint in its table of errors', () => {
    const rows = page.split('\n').filter((line) => /^\|.*\| [45]\d\d/.test(line))
    const codes = new Set(endpoints.flatMap(({ refusals }) => refusals))
    for (const code of codes) expect(rows.join('\n'), code).to.include(`\`${code}\``)
  })
})
