#!/usr/bin/env python
# coding: utf-8

# In[1]:


import argparse

import torch
from torch.utils.data import DataLoader, Dataset


# ## Settings

# In[2]:


# how many samples there are
size = 6
# how many a batch has
batch_size = 2
rate = 0.5
epochs = 2


# ## Data

# In[4]:


scale = 3
device = torch.device("cpu")

class Numbers(Dataset):
    def __len__(self):
        return size

    def __getitem__(self, i):
        return torch.tensor(i * scale, device=device)


# In[6]:


offset = torch.arange(3).sum()


def shifted(batch):
    return torch.stack(batch) + offset


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()


    # In[3]:


    from math import prod

    batches = size // batch_size
    shape = (batches, batch_size)
    print("samples:", prod(shape))


    # In[5]:


    losses = []

    print("loading")


    # In[7]:


    loader = DataLoader(
        Numbers(),
        batch_size=batch_size,
        collate_fn=shifted,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


    # In[8]:


    # every batch
    for epoch in range(epochs):
        for batch in loader:
            losses.append(batch.sum().item() * rate)
        rate /= 2


    # In[9]:


    print("RESULT", losses)


# In[ ]:




