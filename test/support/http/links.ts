// Follows a listing from page to page by its Link headers, like a client without other knowledge.
import { expect } from 'chai'
import type { Client } from './http.ts'

/** Returns the URL of the next page, or undefined on the last page. */
export function findNextLink(headers: Headers): string | undefined {
  const link = headers.get('Link')
  if (link === null) return undefined
  const [, address] = /^<([^<>\s]+)>; rel="next"$/.exec(link) ?? []
  expect(address, `a Link header of RFC 8288: ${link}`).to.be.a('string')
  return address
}

export type Pages<Item> = { items: Item[]; sizes: number[] }

/** Returns the items of all pages; `between` runs before every page except the first. */
export async function followPages<Item>(
  client: Client,
  path: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Pages<Item>> {
  const pages: Pages<Item> = { items: [], sizes: [] }
  let next: string | undefined = path
  while (next !== undefined) {
    const answer = await client.get(next.replace(client.url, ''))
    expect(answer.status, answer.text.slice(0, 500)).to.equal(200)
    const { data } = answer.json as { data: Item[] }
    pages.items.push(...data)
    pages.sizes.push(data.length)
    next = findNextLink(answer.headers)
    if (next !== undefined) await between()
  }
  return pages
}
