import {
  Children,
  type ComponentProps,
  createContext,
  isValidElement,
  memo,
  type ReactNode,
  useContext,
  useId,
  useMemo,
} from 'react';
import { useTranslation } from 'react-i18next';
import ReactMarkdown, { type Components } from 'react-markdown';
import { Icon } from '../../../components/Icon.tsx';
import { withTexts } from '../../../lib/i18n.ts';
import { lateComponent } from '../../../lib/late-component.ts';
import { MentionableContext } from '../../mentions/mentionable-people.ts';
import { remarkMentions } from '../../mentions/remark-mentions.ts';
import { productLinkOf } from '../../unfold/product-link.ts';
import { remarkUnfold } from '../../unfold/remark-unfold.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { MARKDOWN_PLUGINS } from './markdown-plugins.ts';

/** The item of a checklist in this line of the text (from 1) is ticked or not any more. */
export type OnTick = (line: number, isTicked: boolean) => void;

export interface MarkdownProps {
  readonly children: string;
  /** Absent: its checklists can only be read. */
  readonly onTick?: OnTick | undefined;
  /** Links to tasks, runs and messages of this product show what they lead to. Not while the text grows. */
  readonly unfolds?: boolean;
}

const loadUnfolded = withTexts(() => import('../../unfold/UnfoldedLink.tsx'));
const UnfoldedLink = lateComponent(
  async () => (await loadUnfolded()).UnfoldedLink,
  ({ children }) => children,
);

const TickContext = createContext<OnTick | undefined>(undefined);
const ItemContext = createContext<{ readonly id: string; readonly line: number } | undefined>(undefined);

/**
 * The Markdown of an agent or a person. HTML is shown as text; an image becomes a link, because loading it would tell
 * its server who reads the message.
 */
export const Markdown = memo(function Markdown({ children, onTick, unfolds = false }: MarkdownProps) {
  const who = useContext(MentionableContext);
  const plugins = useMemo(() => {
    const all = [...MARKDOWN_PLUGINS];
    if (who.length > 0) all.push([remarkMentions, who]);
    if (unfolds) all.push([remarkUnfold, location.origin]);
    return all;
  }, [who, unfolds]);
  return (
    <TickContext value={onTick}>
      <ReactMarkdown remarkPlugins={plugins} components={COMPONENTS}>
        {children}
      </ReactMarkdown>
    </TickContext>
  );
});

function Heading({ children }: { readonly children?: ReactNode }) {
  // No heading element: it would become part of the outline of the page.
  return (
    <p dir="auto" className="font-semibold">
      {children}
    </p>
  );
}

function Link({ href, children }: { readonly href?: string | undefined; readonly children?: ReactNode }) {
  if (href === undefined || href === '') return <>{children}</>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent-ink underline decoration-accent-line underline-offset-2 hover:decoration-accent"
    >
      {children}
    </a>
  );
}

function ProductLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  const written = <Link href={href}>{children}</Link>;
  const link = productLinkOf(href, location.origin);
  if (!link) return written;
  return <UnfoldedLink link={link}>{written}</UnfoldedLink>;
}

function ImageLink({ src, alt }: { readonly src?: unknown; readonly alt?: string | undefined }) {
  const { t } = useTranslation();
  const href = typeof src === 'string' ? src : undefined;
  return <Link href={href}>{t('chat.image', { name: alt || href || '?' })}</Link>;
}

function Table({ children }: { readonly children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too.
      tabIndex={0}
      aria-label={t('chat.table')}
      className="overflow-x-auto rounded-md border border-line"
    >
      <table className="w-full border-collapse text-13">{children}</table>
    </section>
  );
}

function Item({ line, children }: { readonly line: number | undefined; readonly children?: ReactNode }) {
  const id = useId();
  return (
    <li id={id} dir="auto" className="task-list-item">
      <ItemContext value={line === undefined ? undefined : { id, line }}>{children}</ItemContext>
    </li>
  );
}

function Checkbox({ checked = false }: { readonly checked?: boolean | undefined }) {
  const { t } = useTranslation();
  const onTick = useContext(TickContext);
  const item = useContext(ItemContext);
  if (onTick && item)
    return (
      <input
        type="checkbox"
        checked={checked}
        aria-labelledby={item.id}
        onChange={(event) => onTick(item.line, event.target.checked)}
        className="mr-2 size-3.5 align-[-2px] accent-accent pointer-coarse:size-5 pointer-coarse:align-[-5px]"
      />
    );
  return (
    <span className="mr-1.5 inline-block align-[-2px]">
      <Icon
        name={checked ? 'done' : 'circle'}
        size={14}
        className={checked ? 'text-green-ink' : 'text-ink-3'}
      />
      <span className="sr-only">{checked ? t('chat.checked') : t('chat.unchecked')}</span>
    </span>
  );
}

/** `data-closed` is of `remarkClosedCode`. */
type CodeProps = ComponentProps<'code'> & { readonly 'data-closed'?: string };

/** `pre` holds one `code` with the language in its class. */
function Pre({ children }: { readonly children?: ReactNode }) {
  const [code] = Children.toArray(children);
  const props = isValidElement<CodeProps>(code) ? code.props : {};
  const language = /language-([\w+#.-]+)/.exec(props.className ?? '')?.[1];
  return (
    <CodeBlock
      language={language}
      text={textOf(props.children).replace(/\n$/, '')}
      isWhole={props['data-closed'] !== undefined}
    />
  );
}

function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((child) => (typeof child === 'string' || typeof child === 'number' ? String(child) : ''))
    .join('');
}

/** Each block takes the direction of its own text. */
const COMPONENTS: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  h1: ({ children }) => <Heading>{children}</Heading>,
  h2: ({ children }) => <Heading>{children}</Heading>,
  h3: ({ children }) => <Heading>{children}</Heading>,
  h4: ({ children }) => <Heading>{children}</Heading>,
  h5: ({ children }) => <Heading>{children}</Heading>,
  h6: ({ children }) => <Heading>{children}</Heading>,
  a: ({ href, children, node }) => {
    const isUnfolded = node?.properties.dataUnfold !== undefined;
    return isUnfolded ? (
      <ProductLink href={href ?? ''}>{children}</ProductLink>
    ) : (
      <Link href={href}>{children}</Link>
    );
  },
  img: ({ src, alt }) => <ImageLink src={src} alt={alt} />,
  mark: ({ title, children }) => (
    <span
      title={title}
      data-mention={title}
      className="rounded-sm bg-ask-soft px-1 py-px font-medium text-ask-ink"
    >
      {children}
    </span>
  ),
  pre: ({ children }) => <Pre>{children}</Pre>,
  code: ({ children }) => (
    <code className="rounded-sm border border-line bg-sunken px-1 py-px font-mono text-[12.5px]">
      {children}
    </code>
  ),
  table: ({ children }) => <Table>{children}</Table>,
  th: ({ children }) => (
    <th dir="auto" className="border-b border-line px-2.5 py-1 text-start text-12 font-medium text-ink-2">
      {children}
    </th>
  ),
  td: ({ children }) => (
    <td dir="auto" className="border-b border-line px-2.5 py-1 align-top [tr:last-child>&]:border-b-0">
      {children}
    </td>
  ),
  input: ({ checked }) => <Checkbox checked={checked} />,
  li: ({ children, className, node }) =>
    className?.includes('task-list-item') ? (
      <Item line={node?.position?.start.line}>{children}</Item>
    ) : (
      <li dir="auto">{children}</li>
    ),
  ul: ({ children, className }) => (
    <ul
      className={
        className?.includes('task-list') ? 'flex flex-col gap-0.5' : 'flex list-disc flex-col gap-0.5 pl-5'
      }
    >
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol start={start} className="flex list-decimal flex-col gap-0.5 pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-ink-2">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
};
