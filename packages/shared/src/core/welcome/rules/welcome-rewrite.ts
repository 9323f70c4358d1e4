interface Names {
  readonly name: string;
  readonly role: string | null;
}

/** The texts of the first start in one language. */
export interface WelcomeWords {
  readonly ownerName: string;
  readonly project: { readonly name: string; readonly description: string };
  readonly guide: Names;
  readonly helper: Names;
  readonly tasks: readonly { readonly title: string; readonly description: string }[];
}

/** What is there of it now; what was deleted is absent. */
export interface WelcomeState {
  readonly owner?: Names | undefined;
  readonly project?: { readonly name: string; readonly description: string | null } | undefined;
  readonly guide?: Names | undefined;
  readonly helper?: Names | undefined;
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly description: string | null;
  }[];
}

export interface WelcomeRewrite {
  readonly ownerName?: string;
  readonly project?: WelcomeWords['project'];
  readonly guide?: Names;
  readonly helper?: Names;
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly description: string }[];
}

/**
 * What is to be written in another language: each thing whose texts are all exactly as the first start wrote them. A task
 * that names an agent stays when that agent keeps its name.
 */
export function decideWelcomeRewrite(
  state: WelcomeState,
  from: WelcomeWords,
  to: WelcomeWords,
): WelcomeRewrite {
  const { project } = state;
  const isProject = project?.name === from.project.name && project.description === from.project.description;
  const agents = (['guide', 'helper'] as const).filter((one) => isSame(state[one], from[one]));
  const kept = (['guide', 'helper'] as const).filter((one) => !agents.includes(one));
  return {
    ...(state.owner?.name === from.ownerName && { ownerName: to.ownerName }),
    ...(isProject && { project: to.project }),
    ...Object.fromEntries(agents.map((one) => [one, to[one]])),
    tasks: state.tasks.flatMap(({ id, title, description }) => {
      const place = from.tasks.findIndex((task) => task.title === title && task.description === description);
      const words = to.tasks[place];
      const namesKept = kept.some((one) => title.includes(from[one].name));
      return words && !namesKept ? [{ id, title: words.title, description: words.description }] : [];
    }),
  };
}

const isSame = (one: Names | undefined, other: Names) => one?.name === other.name && one.role === other.role;
