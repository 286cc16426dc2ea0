// What the workers answer to those who make something: its id.

export function madeId(answer: unknown): number {
  const { data } = answer as { data: { id: number } }
  return data.id
}
