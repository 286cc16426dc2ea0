// Placeholder lines for content that is still loading, in a list that has `aria-busy`. Scripts use these
// lines too.

export const LOADING_PLACEHOLDER = '<li class="skeleton" role="presentation"></li>'.repeat(3)
